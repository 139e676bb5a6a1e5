import fc from 'fast-check';
import * as Y from 'yjs';

/** Rich text as an editor would produce it: elements, and runs of text with marks. */
export type RichNode = RichElement | RichText;
interface RichElement {
  name: string;
  attributes: Record<string, unknown>;
  children: RichNode[];
}
interface RichText {
  runs: Array<{ insert: unknown; attributes: Record<string, object> }>;
}

const values = fc.oneof(
  fc.constantFrom('', 'x', '2', 'true', '{}', '{x', 2, -1.5, true, null, [1, 'a'], { a: { b: 1 } }),
  fc.string({ unit: 'grapheme', maxLength: 4 }),
);
const attributes = fc.dictionary(
  fc.constantFrom('id', 'level', 'checked', 'href', 'odd name', '_x0041_'),
  values,
  { maxKeys: 2 },
);

const inserts = fc.oneof(
  {
    arbitrary: fc.constantFrom('a', 'one two', ' ', '\n', ' \r\n', '<&">', ']]>', 'x\u0001'),
    weight: 4,
  },
  { arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }), weight: 2 },
  { arbitrary: fc.constantFrom({ image: 'a.png' }, { n: [1] }), weight: 1 },
);
const formats = fc.dictionary(
  fc.constantFrom('bold', 'link', 'note'),
  fc.constantFrom({}, { href: 'x' }, { level: 2, _: 'y' }),
  { maxKeys: 2 },
);
const texts: fc.Arbitrary<RichText> = fc.record({
  runs: fc.array(fc.record({ insert: inserts, attributes: formats }), {
    minLength: 1,
    maxLength: 3,
  }),
});

const { node } = fc.letrec<{ node: RichNode; element: RichElement }>((tie) => ({
  node: fc.oneof({ depthSize: 'small', withCrossShrink: true }, texts, tie('element')),
  element: fc.record({
    name: fc.constantFrom('p', 'p', 'heading', 'bulletList', '1 odd', 'text', '_embed'),
    attributes,
    children: fc.array(tie('node'), { maxLength: 4 }),
  }),
}));

export const richTexts = fc.array(node, { maxLength: 6 });

export function fillFragment(parent: Y.XmlFragment, nodes: readonly RichNode[]): void {
  parent.insert(0, nodes.map(build));
}

function build(rich: RichNode): Y.XmlElement | Y.XmlText {
  if ('runs' in rich) {
    const text = new Y.XmlText();
    text.applyDelta(structuredClone(rich.runs));
    return text;
  }
  const element = new Y.XmlElement(rich.name);
  for (const [name, value] of Object.entries(rich.attributes)) {
    element.setAttribute(name, value as string);
  }
  fillFragment(element, rich.children);
  return element;
}
