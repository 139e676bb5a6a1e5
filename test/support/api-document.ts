import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

interface Body {
  content: { 'application/json': { schema: object; example?: unknown; examples?: object } };
}

interface DocumentedOperation {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  security: Array<Record<string, string[]>>;
  parameters: Array<{ $ref: string }>;
  requestBody: Body & { required: boolean };
  responses: Record<string, { description?: string; $ref?: string } & Partial<Body>>;
}

export interface ApiDocument {
  openapi: string;
  info: { title: string; version: string; description: string; license: object };
  servers: Array<{ url: string }>;
  tags: Array<{ name: string }>;
  paths: Record<string, Record<string, DocumentedOperation>>;
  webhooks: Record<string, Record<string, DocumentedOperation>>;
  'x-subscriptions': Record<string, { summary: string }>;
  components: Record<string, Record<string, unknown>>;
}

/** The committed document. */
const committedFile = path.join(import.meta.dirname, '../../src/api/openapi.json');
export const committedDocument = (): ApiDocument => JSON.parse(readFileSync(committedFile, 'utf8'));

/** Validates values against the schemas of a document. */
export class DocumentSchemas {
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true });

  readonly #document: ApiDocument;

  constructor(document: ApiDocument) {
    this.#document = document;
    formats.default(this.#ajv);
    this.#ajv.addSchema(document, 'document');
  }

  /** The problems of a request body; empty if it is valid. */
  problemsOfRequest(path: string, body: unknown): ErrorObject[] {
    return this.#check(['paths', path, 'post', 'requestBody', ...SCHEMA], body);
  }

  problemsOfAnswer(path: string, status: number, body: unknown): ErrorObject[] {
    if (status !== 200) return this.#check(['components', 'schemas', 'Failure'], body);
    const place = ['paths', path, 'post', 'responses', '200', 'content'];
    const content = this.#document.paths[path]?.post?.responses['200']?.content ?? {};
    if (!(LINES in content)) return this.#check([...place, 'application/json', 'schema'], body);
    const lines = (text: string) => text.trim().split('\n').filter(Boolean);
    const items = typeof body === 'string' ? lines(body).map((line) => JSON.parse(line)) : [body];
    return items.flatMap((item) => this.#check([...place, LINES, 'schema'], item));
  }

  problemsOfEvent(type: string, body: unknown): ErrorObject[] {
    return this.#check(['webhooks', type, 'post', 'requestBody', ...SCHEMA], body);
  }

  /** The problems of a value by the schema at this place; empty if it is valid. */
  problemsAt(place: string[], value: unknown): ErrorObject[] {
    return this.#check(place, value);
  }

  #check(place: string[], value: unknown): ErrorObject[] {
    const pointer = place.map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1')).join('/');
    // Unlike `compile`, this compiles a schema, and those that it refers to, only once.
    const validate = this.#ajv.getSchema(`document#/${encodeURI(pointer)}`);
    if (!validate) throw new Error(`The document has no schema at ${pointer}.`);
    return validate(value) ? [] : (validate.errors ?? []);
  }
}

/** Newline-delimited JSON. */
const LINES = 'application/x-ndjson';
const SCHEMA = ['content', 'application/json', 'schema'];

/** Every `$ref` of a document. */
export function referencesOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = '$ref' in value && typeof value.$ref === 'string' ? [value.$ref] : [];
  return [...own, ...Object.values(value).flatMap(referencesOf)];
}

/** The value that a `#/…` reference of a document points to. */
export const resolveReference = (document: object, reference: string): unknown =>
  reference
    .split('/')
    .slice(1)
    .reduce<unknown>(
      (place, key) => (place as Record<string, unknown> | undefined)?.[key],
      document,
    );
