import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Anonymiser } from '../../../src/platform/erasure/anonymiser.ts';
import { UNUSUAL_IDS } from '../../support/answers.ts';
import { processorMsOf } from '../../support/processor-time.ts';

const ada = { userId: 'ada', name: 'Ada Lovelace', email: 'ada@lovelace.example' };
const personOf = (userId: string, ...names: string[]) => ({
  userId,
  alias: `alias of ${userId.length}`,
  names,
  organizationIds: [],
});
const anonymiser = new Anonymiser([personOf('ada', ada.name, ada.email, 'Ada')]);
const alias = 'alias of 3';
const deleted = { userId: alias, name: 'Deleted user' };
const text = (commentText: string, given = anonymiser) =>
  given.anonymise({ from: ada, commentText })?.commentText;

describe('anonymised objects', () => {
  it('about the user keep only fields about something else', () => {
    const event = { ...ada, photoUrl: 'x', accessRole: 'editor', previous: { ...ada, age: 36 } };
    expect(anonymiser.anonymise(event)).toEqual({
      ...deleted,
      accessRole: 'editor',
      previous: deleted,
    });
    expect(anonymiser.anonymise({ owner: { id: 'ada', name: 'Ada' } })).toEqual({
      owner: { id: alias, name: 'Deleted user' },
    });
  });

  it('about a file of the user keep the file', () => {
    const file = { attachmentId: 'f1', name: 'Ada Lovelace.pdf', size: 5, userId: 'ada' };
    expect(anonymiser.anonymise({ attachments: [file] })).toEqual({
      attachments: [{ ...file, name: 'Deleted user.pdf', userId: alias }],
    });
    expect(anonymiser.anonymise({ ...ada, attachmentId: 'portrait' })).toEqual(deleted);
    const remover = new Anonymiser([personOf('ada')], 'remove');
    expect(remover.anonymise(file)).toEqual({ ...file, name: '', userId: alias });
  });

  it.each([
    ...['resource', 'metadata', 'content', 'fields'],
    ...['location', 'pageInfo', 'suggestion', 'attachments'],
  ])('in the field %s keep what is not about the user', (field) => {
    const plan = (userId: string, name: string) => ({ userId, name, url: 'https://example.com' });
    const before = plan('ada', 'Plan of Ada Lovelace');
    const after = plan(alias, 'Plan of Deleted user');
    expect(anonymiser.anonymise({ [field]: { ...before, previous: before } })).toEqual({
      [field]: { ...after, previous: after },
    });
  });

  it('that belong to the user keep no e-mail address beside the id, although nothing else knows it', () => {
    const about = (userId: string, email: string) => ({
      metadata: { userId, email, note: `Write to ${email}` },
    });
    expect(anonymiser.anonymise(about('ada', 'private@example.com'))).toEqual(
      about(alias, 'Deleted user'),
    );
  });

  it('have an alias for the id of the user: in lists, as a key, as a channel', () => {
    const record = {
      resolvedByUserId: 'ada',
      visibilityConfig: { type: 'restricted', userIds: ['bob', 'ada'] },
      subscribedUsers: { ada: { user: ada, type: 'auto' }, bob: { user: { userId: 'bob' } } },
      notifyUsers: { ada: true },
      channels: ['document:ada', 'user:ada'],
    };
    expect(anonymiser.anonymise(record)).toEqual({
      resolvedByUserId: alias,
      visibilityConfig: { type: 'restricted', userIds: ['bob', alias] },
      subscribedUsers: {
        [alias]: { user: deleted, type: 'auto' },
        bob: { user: { userId: 'bob' } },
      },
      notifyUsers: { [alias]: true },
      channels: ['document:ada', `user:${alias}`],
    });
  });

  it('keep texts that equal an id or name of the user and mean something else', () => {
    const others = {
      organizationId: 'ada',
      metadata: { documentId: 'ada', documentName: 'Ada Lovelace' },
      status: { id: 'ada' },
      type: 'ada',
      toOrganizationUserGroup: [{ groupId: 'ada' }, 'ada'],
      commentText: 'ada',
      fromUsers: [{ from: { userId: 'ada2', name: 'Ada' } }],
    };
    expect(anonymiser.anonymise(others)).toBeUndefined();
    const { commentText, ...kept } = others;
    const named = anonymiser.anonymise({ ...kept, from: ada });
    expect(named).toEqual({ ...kept, from: deleted });
    const unmistakable = new Anonymiser([personOf('user-0001')]);
    const documents = { documentId: 'user-0001', documentIds: ['user-0001'] };
    expect(unmistakable.anonymise(documents)).toBeUndefined();
  });

  it('lose an unmistakable id anywhere', () => {
    const given = new Anonymiser([personOf('u-7f3a-0191')]);
    const record = { custom: ['u-7f3a-0191', 'u-7f3a-0191-x'], text: 'see u-7f3a-0191.' };
    expect(given.anonymise(record)).toEqual({
      custom: ['alias of 11', 'u-7f3a-0191-x'],
      text: 'see Deleted user.',
    });
  });

  it('without the user are unchanged, whatever their structure', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        fc.pre(!JSON.stringify(value).includes('ada'));
        expect(anonymiser.anonymise(value)).toBeUndefined();
      }),
    );
  });

  it('contain no unusual id, also by the text that the database searches for', () => {
    const record = (userId: string) => ({
      from: { userId },
      userIds: [userId],
      notifyUsers: { [userId]: true },
    });
    for (const userId of UNUSUAL_IDS) {
      const given = new Anonymiser([personOf(userId)]);
      const text = JSON.stringify(record(userId));
      expect(given.needles.some((needle) => text.includes(needle))).toBe(true);
      const alias = `alias of ${userId.length}`;
      const from = expect.objectContaining({ userId: alias });
      expect(given.anonymise(record(userId))).toEqual({ ...record(alias), from });
    }
  });
});

describe('anonymised text', () => {
  it.each([
    ['Ask @Ada Lovelace, or @ada!', 'Ask @Deleted user, or @Deleted user!'],
    ['<@ada> and @{{ada}}', '<@Deleted user> and @Deleted user}}'],
    ['Ada Lovelace wrote to ADA@lovelace.example', 'Deleted user wrote to Deleted user'],
    ['Ada Lovelaces, xada@lovelace.example', 'Ada Lovelaces, xada@lovelace.example'],
    ['I met Ada, @adam and @ada-maria', 'I met Ada, @adam and @ada-maria'],
    ['bob@ada.org of @ada, hi@ada!', 'bob@ada.org of @Deleted user, hi@Deleted user!'],
    ['Ada', 'Deleted user'],
  ])(
    'loses the mentions, names and addresses of the user, and no similar text: %j',
    (before, after) => {
      expect(text(before)).toBe(after);
    },
  );

  it('of notifications and headlines loses first names too, except in addresses of others, unlike other text', () => {
    const record = {
      actionUser: ada,
      displayHeadlineMessage: 'Ada told Adam',
      displayBodyMessage: 'Ada wrote to bob@ada.org from ada@home.example.',
      body: 'Ada told',
    };
    expect(anonymiser.anonymise(record)).toEqual({
      actionUser: deleted,
      displayHeadlineMessage: 'Deleted user told Adam',
      displayBodyMessage: 'Deleted user wrote to bob@ada.org from Deleted user@home.example.',
      body: 'Ada told',
    });
  });

  it('of HTML loses the user in elements that mention the user, and in no others', () => {
    const html =
      '<li data-id="ada">Ada</li><span class="mention" data-id="ada" data-label="Ada">@Ada</span>';
    expect(text(html)).toBe(
      `<li data-id="ada">Ada</li><span class="mention" data-id="${alias}" data-label="Deleted user">@Deleted user</span>`,
    );
  });

  it('loses the whole name and address of a user that contain the name of another', () => {
    const lee = personOf('lee', 'Ann Lee', 'Ann Lee Long', 'lee@ann.example');
    const people = [personOf('ann', 'Ann'), lee];
    for (const userIds of ['ann lee', 'lee ann'].map((ids) => ids.split(' '))) {
      const record = {
        notifiedUserIds: userIds,
        commentText: '@Ann Lee Long (lee@ann.example), @Ann',
      };
      expect(new Anonymiser(people).anonymise(record)?.commentText).toBe(
        '@Deleted user (Deleted user), @Deleted user',
      );
    }
  });

  it('loses names with pattern characters, in linear time', () => {
    const odd = new Anonymiser([personOf('x', '(a+)+ $1 [b', '.* .*')]);
    expect(odd.anonymise({ from: { userId: 'x' }, t: 'so (a+)+ $1 [b said' })?.t).toBe(
      'so Deleted user said',
    );
    const long = '<a '.repeat(20_000) + '@'.repeat(20_000) + 'a'.repeat(20_000);
    expect(processorMsOf(() => expect(text(long)).toBe(long))).toBeLessThan(2_000);
  });
});
