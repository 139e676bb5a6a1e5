import { z } from 'zod';
import { epochMs, id, idList, text } from '../../api/fields.ts';
import { assertContent } from './content/check-content.ts';
import { requireXml } from './content/content.ts';
import { ContentMismatch, type ContentType } from './content/content-type.ts';
import { parseXml } from './content/xml/parse-xml.ts';
import { isLarge } from './worker/run-job.ts';

const contentType = z.enum(['text', 'map', 'array', 'xml']).meta({ id: 'ContentType' });

const contentKey = id.optional();

const marks = idList(100)
  .optional()
  .meta({ description: 'For `xml`: the names of further elements that are marks.' });

export const editor = { organizationId: id, documentId: id, editorId: id };

/** The fields of new content. The limits of other JSON fields do not apply to `data`; `checkContent` has its own. */
const contentFields = {
  ...editor,
  data: z.unknown().meta({
    description: 'A string for `text` and `xml`, an object for `map`, an array for `array`.',
  }),
  type: contentType,
  contentKey: contentKey.meta({
    description:
      'The name of the root in the Yjs document. Default `content`; for `xml` it is `default`.',
  }),
  marks,
};

interface Content {
  type: ContentType;
  data?: unknown;
}

function checkContent({ type, data }: Content, check: z.RefinementCtx): void {
  try {
    if (type !== 'xml') assertContent(type, data);
    // Large XML is parsed later, by a worker thread.
    else if (!isLarge(type, requireXml(data).length)) parseXml(requireXml(data));
  } catch (error) {
    if (!(error instanceof ContentMismatch)) throw error;
    check.addIssue({ code: 'custom', path: ['data'], message: error.message });
  }
}

export const AddCrdt = z.object(contentFields).superRefine(checkContent);
export type AddCrdtInput = z.infer<typeof AddCrdt>;

export const UpdateCrdt = z
  .object({
    ...contentFields,
    ifVersion: z.int().nonnegative().optional().meta({
      description:
        'The `version` from `crdt/get`. If the stored version differs, the call fails with ABORTED.',
    }),
  })
  .superRefine(checkContent);
export type UpdateCrdtInput = z.infer<typeof UpdateCrdt>;

/** The most characters of a passage. Use `crdt/update` for more. */
const MAX_PASSAGE_LENGTH = 65_536;

/** The fields of a quoted passage and its replacement. */
export const passage = {
  quote: text(MAX_PASSAGE_LENGTH).min(1).meta({
    description: 'The exact text, without its formats. In rich text, each block is a line.',
  }),
  replacement: text(MAX_PASSAGE_LENGTH).meta({
    description:
      'If empty, the passage is deleted. If the quote spans several blocks, this must have as many lines.',
  }),
};

export const ReplaceRange = z.object({
  ...editor,
  ...passage,
  occurrence: z.int().positive().optional().meta({
    description:
      'The number of the match to replace, counted from 1. If omitted, there must be exactly one match.',
  }),
});
export type ReplaceRangeInput = z.infer<typeof ReplaceRange>;

export const replacedRange = z.object({
  version: z.number().meta({ description: 'The version of the content after the change.' }),
});

export const GetCrdt = z.object({
  organizationId: id,
  documentId: id,
  editorId: id.optional(),
  type: contentType.optional(),
  contentKey: contentKey.meta({ description: 'Default: the root that holds content.' }),
  marks,
});
export type GetCrdtInput = z.infer<typeof GetCrdt>;

export const DeleteCrdt = z.object({
  organizationId: id,
  documentId: id,
  editorId: id.optional().meta({ description: 'Default: all editors of the document.' }),
});
export type DeleteCrdtInput = z.infer<typeof DeleteCrdt>;

/** The content of one editor, as `crdt/get` and the `crdt.update_data` event show it. */
export const presentedEditor = z
  .object({
    id: z.string().meta({ description: 'The editorId.' }),
    data: z.unknown().meta({
      description: 'Null in an event after a deletion, or if the content cannot be read.',
    }),
    type: contentType,
    version: z.number().meta({ description: 'Grows with every committed change.' }),
    lastUpdate: epochMs,
    lastUpdatedBy: z.string().nullable().meta({ description: 'A userId; null for an API key.' }),
  })
  .meta({ id: 'Editor' });
export type PresentedEditor = z.infer<typeof presentedEditor>;
