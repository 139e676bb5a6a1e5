import { type ReactNode, useEffect, useReducer, useState } from 'react';
import type { User } from '../../../api/contract.ts';
import { memoizeLast } from '../../core/live.ts';
import { CollaborationError } from '../../error.ts';
import { useClient } from '../collaboration.tsx';
import { useConnectionStatus } from '../live-hooks.ts';
import { nameOf } from './comment-text.tsx';
import { useLabels } from './parts.ts';
import { useIsInBrowser } from './use-is-in-browser.ts';

/**
 * The picture of a user, or the initials if there is none or it cannot be loaded. They are hidden from screen
 * readers, since the name is always shown next to them.
 */
export function DefaultAvatar({ user }: { user: User }): ReactNode {
  const [failed, setFailed] = useState<string>();
  const { photoUrl, initial = nameOf(user).slice(0, 1).toUpperCase() } = user;
  const hasPicture = typeof photoUrl === 'string' && photoUrl !== '' && photoUrl !== failed;
  return (
    <span className="collab-avatar" aria-hidden="true">
      {hasPicture ? (
        <img
          src={photoUrl}
          alt=""
          loading="lazy"
          referrerPolicy="no-referrer"
          onError={() => setFailed(photoUrl)}
        />
      ) : (
        initial.slice(0, 2)
      )}
    </span>
  );
}

/** The language of the page; by default, that of the browser. */
const pageLanguage = () => document.documentElement.lang || undefined;

/** Reuses the last format: creating a format is slow, and a list may show thousands of timestamps. */
const relativeFormat = memoizeLast(
  (language: string | undefined) => new Intl.RelativeTimeFormat(language, { numeric: 'auto' }),
);

const UNITS: Array<[Intl.RelativeTimeFormatUnit, number]> = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

/** How long ago something happened, in the language of the page. @param props.at epoch milliseconds */
export function Ago({ at }: { at: number }): ReactNode {
  const [, rerender] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const timer = setInterval(rerender, 60_000);
    return () => clearInterval(timer);
  }, []);
  const time = new Date(at);
  const dateTime = time.toISOString();
  if (!useIsInBrowser()) {
    return (
      <time className="collab-time" dir="auto" dateTime={dateTime}>
        {dateTime.slice(0, 10)}
      </time>
    );
  }
  const elapsedMs = Date.now() - at;
  const [unit, ms] = UNITS.find(([, length]) => elapsedMs >= length) ?? ['second', 1000];
  const amount = unit === 'second' ? 0 : Math.floor(elapsedMs / ms);
  return (
    <time className="collab-time" dir="auto" dateTime={dateTime} title={time.toLocaleString()}>
      {relativeFormat(pageLanguage()).format(-amount, unit)}
    </time>
  );
}

/** The server ends some messages with the name of the operation, which is for developers. */
const OPERATION_AT_END = / \(operation [\w.]+\)$/;

/** The message of a failure, which screen readers announce at once. */
export const Failure = ({ error }: { error: Error | null }): ReactNode =>
  error && <FailureText error={error} />;

function FailureText({ error }: { error: Error }): ReactNode {
  const status = useConnectionStatus();
  const wasSignedOut = error instanceof CollaborationError && error.reason === 'SIGNED_OUT';
  // After a sign-in, the message is no longer true.
  if (wasSignedOut && status !== 'signedOut') return null;
  return (
    <p className="collab-failure" role="alert">
      {error.message.replace(OPERATION_AT_END, '')}
    </p>
  );
}

/** While the connection is lost, says so, with a button to try again. Otherwise shows the error, if there is one. */
export function ConnectionNotice({ error }: { error: Error | null }): ReactNode {
  const labels = useLabels();
  const { connection } = useClient();
  const status = useConnectionStatus();
  if (status !== 'offline' && status !== 'signedOut') return <Failure error={error} />;
  return (
    <p className="collab-notice" role="status">
      {labels[status]}{' '}
      <button type="button" onClick={() => connection.retry()}>
        {labels.retry}
      </button>
    </p>
  );
}

/**
 * Returns a ref for an element that may be removed while the focus is in it. The focus then moves to the section
 * around the element.
 */
export function useFocusFallback() {
  const [ref] = useState(() => {
    let current: HTMLElement | undefined;
    return (element: HTMLElement | null): void => {
      if (element) current = element;
      else if (current?.contains(document.activeElement)) current.closest('section')?.focus();
    };
  });
  return ref;
}

interface MoreButtonProps {
  hasMore: boolean;
  isFetchingMore: boolean;
  fetchMore(): void;
}

/** A button that shows more of a list. It stays enabled during the fetch: a disabled button would lose the focus. */
export function MoreButton({ hasMore, isFetchingMore, fetchMore }: MoreButtonProps): ReactNode {
  const { more } = useLabels();
  const ref = useFocusFallback();
  if (!hasMore) return null;
  return (
    <button
      ref={ref}
      type="button"
      aria-disabled={isFetchingMore}
      onClick={() => !isFetchingMore && fetchMore()}
    >
      {more}
    </button>
  );
}

/** The size of a file in a suitable unit, in the language of the page. */
export function FileSize({ bytes }: { bytes: number }): ReactNode {
  if (!useIsInBrowser()) return null;
  const power = Math.min(FILE_UNITS.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3));
  const size = new Intl.NumberFormat(pageLanguage(), {
    style: 'unit',
    unit: FILE_UNITS[power],
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: 1,
  });
  return <span className="collab-time">{size.format(bytes / 1000 ** power)}</span>;
}

const FILE_UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'];
