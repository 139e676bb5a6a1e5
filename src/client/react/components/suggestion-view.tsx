import type { ReactNode } from 'react';
import type { SuggestedEdit } from '../../core/suggestion.ts';
import { useAcceptSuggestion, useRejectSuggestion } from '../write-hooks.ts';
import { useLabels } from './parts.ts';
import { Failure } from './small-parts.tsx';

interface SuggestionViewProps {
  annotationId: string;
  suggestion: SuggestedEdit;
  /** Whether the user may decide about it. */
  canDecide: boolean;
}

/** A suggested edit of the text, and its answer or the buttons for it. */
export function SuggestionView({
  annotationId,
  suggestion: { editorId, status, parts },
  canDecide,
}: SuggestionViewProps): ReactNode {
  const labels = useLabels();
  const accept = useAcceptSuggestion();
  const reject = useRejectSuggestion();
  const error = accept.error ?? reject.error;
  const present = error?.details.present;
  return (
    <div className="collab-suggestion">
      {parts.map(({ quote, replacement }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a suggestion never change
        <p className="collab-text" key={at}>
          <del>{quote}</del> {replacement && <ins>{replacement}</ins>}
        </p>
      ))}
      {status === 'accepted' && <p className="collab-time">{labels.accepted}</p>}
      {status === 'rejected' && <p className="collab-time">{labels.rejected}</p>}
      {status === 'pending' && canDecide && (
        <div className="collab-actions">
          <button
            type="button"
            className="collab-primary"
            onClick={() => accept.mutate({ annotationId, editorId })}
          >
            {labels.accept}
          </button>
          <button type="button" onClick={() => reject.mutate({ annotationId, editorId })}>
            {labels.reject}
          </button>
        </div>
      )}
      <Failure error={error} />
      {typeof present === 'string' && (
        <p className="collab-notice">
          {labels.presentText} <q>{present}</q>
        </p>
      )}
    </div>
  );
}
