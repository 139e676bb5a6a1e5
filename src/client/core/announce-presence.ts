import { hashKey } from '@tanstack/query-core';
import { delay } from '../retry.ts';
import type { Collaboration, Place } from './collaboration.ts';
import { loadSelf } from './self.ts';

/** The server takes users for offline after 60 s. */
const RENEWED_AFTER_MS = 20_000;

/** The presence in a document that the user's page announces. */
export class Announcement {
  readonly #collaboration: Collaboration;
  readonly #place: Place;
  #status: string | undefined;

  constructor(collaboration: Collaboration, place: Place) {
    this.#collaboration = collaboration;
    this.#place = place;
  }

  say(status: string): void {
    this.#status = status;
    void this.renew();
  }

  /** Says it again, unless it was about another user. */
  async renew(userId?: string): Promise<void> {
    const self = await this.#self();
    if (userId === undefined || userId === self) await this.#send(self, this.#status);
  }

  /**
   * For pages that are being closed: browsers allow no new kind of call then, so it is the call that
   * was made before.
   */
  async pause(): Promise<void> {
    if (this.#status !== undefined) await this.#send(await this.#self(), 'offline');
  }

  /** Leaves, and says nothing more. */
  async end(): Promise<void> {
    this.#status = undefined;
    const { client } = this.#collaboration;
    const self = await this.#self();
    if (self) await client.presence.delete({ ...this.#place, userIds: [self] }).catch(() => {});
  }

  /** Never rejects: the next renewal follows. */
  async #send(userId: string | undefined, status: string | undefined): Promise<void> {
    if (userId === undefined || status === undefined) return;
    const users = [{ userId, status }];
    const { client } = this.#collaboration;
    await client.presence.update({ ...this.#place, users }, { isOnce: true }).catch(() => {});
  }

  async #self(): Promise<string | undefined> {
    const self = await loadSelf(this.#collaboration, this.#place.organizationId).catch(() => null);
    return self?.userId;
  }
}

const announcements = new WeakMap<Collaboration, Map<string, Announcement>>();

export function announcementOf(collaboration: Collaboration, place: Place): Announcement {
  const ofClient = announcements.get(collaboration) ?? new Map<string, Announcement>();
  announcements.set(collaboration, ofClient);
  const name = hashKey([place]);
  const announcement = ofClient.get(name) ?? new Announcement(collaboration, place);
  ofClient.set(name, announcement);
  return announcement;
}

/** Renews the presence until the signal fires. */
export async function announce(
  collaboration: Collaboration,
  place: Place,
  signal: AbortSignal,
): Promise<void> {
  const announcement = announcementOf(collaboration, place);
  signal.addEventListener('abort', () => void announcement.end(), { once: true });
  while (!signal.aborted) {
    await delay(RENEWED_AFTER_MS, signal).catch(() => {});
    await announcement.renew();
  }
}
