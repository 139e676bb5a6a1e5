import path from 'node:path';

/** The version of `@scalar/api-reference`, with which readers try operations. */
export const VIEWER = 'scalar-1.72.1.js';
/** Committed, and written by `npm run generate:viewer`. */
export const VIEWER_FILE = path.join(import.meta.dirname, `viewer/${VIEWER}.gz`);

/** Paths are relative, so that the page also works behind a proxy that adds a prefix. */
export const VIEWER_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Try it · Collaboration backend</title>
    <link rel="icon" href="data:," />
  </head>
  <body>
    <a href="../docs" style="display: block; padding: 0.75rem 1rem; font: 1rem system-ui">← Documentation</a>
    <div id="api"></div>
    <script src="./assets/${VIEWER}"></script>
    <script src="./assets/viewer.js"></script>
  </body>
</html>
`;

/** Every feature of the viewer that contacts other hosts is disabled. */
const SETTINGS = {
  url: './openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  proxyUrl: '',
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  persistAuth: false,
  showOperationId: true,
  expandAllSchemaProperties: true,
  authentication: { preferredSecurityScheme: [['apiKey', 'authToken']] },
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
};

export const VIEWER_SCRIPT = `Scalar.createApiReference('#api', ${JSON.stringify(SETTINGS)});\n`;
