import { type ReactNode, useRef, useState } from 'react';
import { useAccess, useSelf } from '../live-hooks.ts';
import { useReaction } from '../write-hooks.ts';
import { nameOf } from './comment-text.tsx';
import { type CommentViewProps, useLabels } from './parts.ts';
import { Failure } from './small-parts.tsx';

const OFFERED_ICONS = ['👍', '❤️', '🎉', '😄', '👀', '🙏'];

/** The reactions to a comment as buttons, and a button to add others. */
export function Reactions({ thread, comment }: CommentViewProps): ReactNode {
  const labels = useLabels();
  const { canComment } = useAccess();
  const self = useSelf();
  const { mutate: react, error } = useReaction();
  const [isChoosing, setIsChoosing] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const endChoice = () => {
    // The focused icon is about to vanish, so the button that opened the choice takes the focus.
    if (isChoosing) opener.current?.focus();
    setIsChoosing(false);
  };
  const { annotationId } = thread;
  const { commentId, reactionAnnotations } = comment;
  const shown = reactionAnnotations.map(({ icon, fromUsers }) => ({
    icon,
    users: fromUsers.map(({ from }) => from),
    isOwn: fromUsers.some(({ from }) => from.userId === self?.userId),
  }));
  const toggle = (icon: string) => {
    const remove = shown.some((each) => each.icon === icon && each.isOwn);
    react({ annotationId, commentId, icon, remove });
    endChoice();
  };
  return (
    <div className="collab-reactions">
      {shown.map(({ icon, users, isOwn }) => (
        <button
          key={icon}
          type="button"
          className="collab-reaction"
          aria-pressed={isOwn}
          disabled={!canComment}
          title={users.map(nameOf).join(', ')}
          onClick={() => toggle(icon)}
        >
          {icon} {users.length}
        </button>
      ))}
      {canComment && (
        <button
          ref={opener}
          type="button"
          className="collab-quiet"
          aria-label={labels.addReaction}
          aria-expanded={isChoosing}
          onClick={() => setIsChoosing(!isChoosing)}
        >
          ☺+
        </button>
      )}
      {isChoosing && canComment && (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
        <span
          role="group"
          aria-label={labels.addReaction}
          onKeyDown={({ key }) => key === 'Escape' && endChoice()}
        >
          {OFFERED_ICONS.map((icon) => (
            <button
              key={icon}
              type="button"
              className="collab-quiet"
              aria-label={icon}
              onClick={() => toggle(icon)}
            >
              {icon}
            </button>
          ))}
        </span>
      )}
      <Failure error={error} />
    </div>
  );
}
