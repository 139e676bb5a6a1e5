import { type CSSVariablesResolver, createTheme } from '@mantine/core';

/** The look of the console. Colours are checked for contrast in both schemes. */
export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 7, dark: 7 },
  autoContrast: true,
  defaultRadius: 'md',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  headings: { fontWeight: '650' },
  components: {
    Anchor: { defaultProps: { underline: 'always', size: 'sm' } },
    Badge: { defaultProps: { variant: 'light', radius: 'sm', tt: 'none' } },
    Drawer: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
    // The labels of the command palette.
    Highlight: { defaultProps: { size: 'md' } },
    Modal: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
    PasswordInput: { defaultProps: { visibilityToggleFocusable: true } },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
    Table: { defaultProps: { verticalSpacing: 'xs', highlightOnHover: true } },
    Text: { defaultProps: { size: 'sm' } },
    Title: { defaultProps: { order: 2, size: 'h5' } },
  },
});

/** Raises the contrast of dimmed texts, placeholders, and texts on tinted and red backgrounds. Mantine's own is too low. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': 'var(--mantine-color-gray-7)',
    '--mantine-color-placeholder': 'color-mix(in srgb, var(--mantine-color-gray-7) 85%, white)',
    '--mantine-color-red-filled': 'var(--mantine-color-red-9)',
    '--mantine-color-red-text': 'var(--mantine-color-red-9)',
    ...Object.assign({}, ...TINTS.map(tinted)),
  },
  dark: {
    '--mantine-color-dimmed': 'var(--mantine-color-dark-1)',
    '--mantine-color-placeholder': 'color-mix(in srgb, var(--mantine-color-dark-1) 85%, black)',
    '--mantine-color-red-filled': 'var(--mantine-color-red-9)',
  },
});

const TINTS = ['teal', 'red', 'orange', 'yellow', 'indigo'];

/** A paler background and a darker text than Mantine's own. */
const tinted = (tint: string) => ({
  [`--mantine-color-${tint}-light`]: `var(--mantine-color-${tint}-0)`,
  [`--mantine-color-${tint}-light-color`]: `color-mix(in srgb, var(--mantine-color-${tint}-9) 65%, black)`,
});
