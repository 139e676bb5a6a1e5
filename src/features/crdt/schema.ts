import { z } from 'zod';
import { id } from '../../api/fields.ts';
import { assertContent } from './content/check-content.ts';
import { ContentMismatch } from './content/content-mismatch.ts';

export const contentType = z.enum(['text', 'map', 'array', 'xml']);

const contentKey = id.meta({ description: 'The name of the root in the Yjs document.' });

const editor = { organizationId: id, documentId: id, editorId: id };

/** Content in full: exempt from the limits of free JSON, but not from those of content. */
const content = z
  .object({
    ...editor,
    data: z.unknown().meta({
      description: 'A string for `text` and `xml`, an object for `map`, an array for `array`.',
    }),
    type: contentType,
    contentKey: contentKey.default('content'),
  })
  .superRefine(({ type, data }, check) => {
    const problem = contentProblem(type, data);
    if (problem) check.addIssue({ code: 'custom', ...problem });
  });

function contentProblem(type: z.infer<typeof contentType>, data: unknown) {
  if (type === 'xml') return { path: ['type'], message: 'xml content is not supported yet' };
  try {
    assertContent(type, data);
    return undefined;
  } catch (error) {
    if (!(error instanceof ContentMismatch)) throw error;
    return { path: ['data'], message: error.message };
  }
}

export const AddCrdt = content;
export const UpdateCrdt = content;
export type CrdtContentInput = z.infer<typeof content>;

export const GetCrdt = z.object({
  organizationId: id,
  documentId: id,
  editorId: id.optional(),
  type: contentType.optional(),
  contentKey: contentKey.optional().meta({ description: 'Absent: the root that holds content.' }),
});
export type GetCrdtInput = z.infer<typeof GetCrdt>;

/** The content of one editor, as `crdt/get` and the `crdt.update_data` event show it. */
export const presentedEditor = z.object({
  id: z.string().meta({ description: 'The editorId.' }),
  data: z.unknown(),
  type: contentType,
  lastUpdate: z.number().meta({ description: 'Epoch milliseconds.' }),
  lastUpdatedBy: z.string().nullable().meta({ description: 'A userId; null: an API key.' }),
});
export type PresentedEditor = z.infer<typeof presentedEditor>;
