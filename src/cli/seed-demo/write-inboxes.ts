import { type Demo, requireOutcomes } from './demo.ts';
import { authorOf, PEOPLE, personCalled } from './people.ts';
import { documentCalled, ORGANIZATIONS, placeOf } from './places.ts';

/** Preferences, notifications of the company's own, recordings, and who is there now. */
export async function writeInboxes(demo: Demo): Promise<void> {
  await writePreferences(demo);
  await writeNotifications(demo);
  await writeRecordings(demo);
  await writePresence(demo);
}

/** Some want only what concerns them, and some nothing by mail. */
async function writePreferences({ client }: Demo): Promise<void> {
  for (const { organizationId } of ORGANIZATIONS) {
    const people = PEOPLE.filter((person) => person.organizationId === organizationId);
    const every = (step: number) =>
      people.filter((_person, n) => n % step === 0).map(({ userId }) => userId);
    const preference = (userIds: string[], config: { inbox?: 'MINE'; email?: 'NONE' | 'MINE' }) =>
      client.notifications.config.set({ organizationId, userIds, config });
    await preference(every(3), { inbox: 'MINE' });
    await preference(every(4), { email: 'NONE' });
  }
  const release = placeOf(documentCalled('Press release'));
  await client.notifications.config.set({
    organizationId: release.organizationId,
    userIds: [personCalled('Clara Castell').userId],
    documentIds: [release.documentId],
    config: { inbox: 'NONE' },
  });
}

async function writeNotifications({ client, as }: Demo): Promise<void> {
  const notices = [
    ['Aria release notes 2.4', 'Yuki Tanabe', 'released', 'Firmware 2.4.1 is out.'],
    ['Flow accuracy test report', 'Elena Marchetti', 'signed', 'All nine runs passed.'],
    ['Supply agreement, draft 4', 'Ingrid Nystrom', 'sent', 'Draft 4 went to Kestrel today.'],
    ['Launch page copy', 'Amara Diallo', 'handed over', 'Ready for the client.'],
  ] as const;
  for (const [documentName, author, act, displayBodyMessage] of notices) {
    const document = documentCalled(documentName);
    const actionUser = authorOf(personCalled(author));
    const colleagues = PEOPLE.filter((one) => one.organizationId === document.organizationId);
    requireOutcomes(
      await client.notifications.add({
        ...placeOf(document),
        notificationId: `demo-${document.documentId}`,
        actionUser,
        notifyUsers: colleagues.map(({ userId }) => ({ userId })),
        displayHeadlineMessageTemplate: `{actionUser} ${act} {document}`,
        displayHeadlineMessageTemplateData: { document: documentName },
        displayBodyMessage,
      }),
    );
  }
  // Some people keep up with their inbox.
  for (const name of ['Tomasz Wieczorek', 'Marcus Bell', 'Amara Diallo', 'Elena Marchetti']) {
    const { userId, organizationId } = personCalled(name);
    const inbox = { organizationId, userId };
    const { data } = await client.notifications.get({ ...inbox, pageSize: 20 });
    const notificationIds = data.map(({ id }) => id);
    if (notificationIds.length === 0) continue;
    await as(userId).notifications.update({ organizationId, notificationIds });
  }
}

async function writeRecordings({ client }: Demo): Promise<void> {
  const recordings = [
    ['Aria alarm concept', 'Callum Fraser', 'Alarm at 0.1 ml/h', 48_000, 'screen'],
    ['Storyboard', 'Kofi Mensah', 'Walk through scene 2', 131_000, 'screen'],
    ['Film script', 'Anya Petrova', 'Reading with the voice', 204_000, 'audio'],
  ] as const;
  for (const [documentName, author, recordingName, durationMs, type] of recordings) {
    const document = documentCalled(documentName);
    const recordingId = `demo-${document.documentId}`;
    const url = `https://media.meridian-instruments.example/${recordingId}.mp4`;
    const from = authorOf(personCalled(author));
    const recording = { recordingId, url, recordingName, durationMs, type, from };
    requireOutcomes(await client.recordings.add({ ...placeOf(document), recordings: [recording] }));
  }
}

/** Presence lasts for a minute unless it is renewed. */
async function writePresence({ client }: Demo): Promise<void> {
  const present = [
    ['Aria requirements', ['Adaeze Okafor', 'Yuki Tanabe', 'Priya Raghavan']],
    ['Supply agreement, draft 4', ['Ingrid Nystrom', 'Pieter van Dam']],
    ['Launch page copy', ['Amara Diallo', 'Theo Ashworth', 'Adaeze Okafor']],
  ] as const;
  for (const [documentName, names] of present) {
    const users = names.map((name, n) => ({
      ...authorOf(personCalled(name)),
      status: n === 1 ? 'away' : 'online',
    }));
    await client.presence.update({ ...placeOf(documentCalled(documentName)), users });
  }
}
