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
  .meta({ description: 'For `xml`: additional names of elements that are marks.' });

export const editor = { organizationId: id, documentId: id, editorId: id };

/** Content is exempt from the limits of free JSON, but has limits of its own. */
const content = {
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

export const AddCrdt = z.object(content).superRefine(checkContent);
export type AddCrdtInput = z.infer<typeof AddCrdt>;

export const UpdateCrdt = z
  .object({
    ...content,
    ifVersion: z.int().nonnegative().optional().meta({
      description: 'The `version` from `crdt/get`. A different stored version fails with ABORTED.',
    }),
  })
  .superRefine(checkContent);
export type UpdateCrdtInput = z.infer<typeof UpdateCrdt>;

/** The most characters of a passage: longer content is replaced by `crdt/update`. */
const MAX_PASSAGE = 65_536;

/** A quoted passage and its replacement. */
export const passage = {
  quote: text(MAX_PASSAGE).min(1).meta({
    description: 'The exact text without its formats. In rich text each block is a line.',
  }),
  replacement: text(MAX_PASSAGE).meta({
    description:
      'Empty: the passage is deleted. Several blocks need as many lines as the quote has.',
  }),
};

export const ReplaceRange = z.object({
  ...editor,
  ...passage,
  occurrence: z.int().positive().optional().meta({
    description:
      'The number of the match to replace, counted from 1. Absent: there must be exactly one match.',
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
  contentKey: contentKey.meta({ description: 'Absent: the root that holds content.' }),
  marks,
});
export type GetCrdtInput = z.infer<typeof GetCrdt>;

export const DeleteCrdt = z.object({
  organizationId: id,
  documentId: id,
  editorId: id.optional().meta({ description: 'Absent: all editors of the document.' }),
});
export type DeleteCrdtInput = z.infer<typeof DeleteCrdt>;

/** The content of one editor, as `crdt/get` and the `crdt.update_data` event show it. */
export const presentedEditor = z
  .object({
    id: z.string().meta({ description: 'The editorId.' }),
    data: z.unknown().meta({
      description: 'Null in an event after a deletion, or for content without a JSON form.',
    }),
    type: contentType,
    version: z.number().meta({ description: 'Grows with every committed change.' }),
    lastUpdate: epochMs,
    lastUpdatedBy: z.string().nullable().meta({ description: 'A userId; null: an API key.' }),
  })
  .meta({ id: 'Editor' });
export type PresentedEditor = z.infer<typeof presentedEditor>;
