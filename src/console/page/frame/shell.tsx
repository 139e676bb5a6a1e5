import {
  ActionIcon,
  AppShell,
  Burger,
  Button,
  Group,
  Kbd,
  Menu,
  Modal,
  NavLink,
  ScrollArea,
  Stack,
  Text,
  Tooltip,
  UnstyledButton,
  useComputedColorScheme,
  useMantineColorScheme,
  VisuallyHidden,
} from '@mantine/core';
import { useDisclosure, useHotkeys, useOs } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link, Navigate, Outlet, useLocation } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useChosenKey } from '../api/read.ts';
import { sessionQuery, signOut, usePerson } from '../api/session.ts';
import { isServerPage, pathOf } from '../app/search.ts';
import { useReadOnlyReason } from '../parts/action-button.tsx';
import { Empty, Note } from '../parts/basics.tsx';
import { hasUnsavedChanges } from '../parts/dialogs.tsx';
import { Icon } from '../parts/icon.tsx';
import { showFailure } from '../parts/notices.ts';
import { KeyPicker } from './key-picker.tsx';
import { labelOf, PAGES } from './pages.ts';

const Palette = lazy(() =>
  import('./command-palette.tsx').then((file) => ({ default: file.Palette })),
);

const SESSION_POLL_MS = 3_000;

function skipToContent() {
  document.getElementById('content')?.focus();
}

/** The frame of all pages: navigation, choice of the API key, command palette and account. */
export function Shell() {
  const [isOpen, { toggle, close }] = useDisclosure();
  // The command palette opens whenever this number grows. Its code is loaded when it first opens. From then on, the
  // palette handles the hotkey itself.
  const [openings, setOpenings] = useState(0);
  const isApple = ['macos', 'ios'].includes(useOs());
  useHotkeys(openings === 0 ? [['mod+K', () => setOpenings(1)]] : [], []);
  // The session is polled, so that an open page leads to the sign-in page soon after the session has ended.
  const { data: session } = useQuery({ ...sessionQuery, refetchInterval: SESSION_POLL_MS });
  const location = useLocation();
  const { key, hasLoaded } = useChosenKey();
  const isMissingKey = hasLoaded && !key && location.pathname.includes('/key/');
  const hasSessionEnded = session !== undefined && !session.signedIn;
  const [mayDiscard, setMayDiscard] = useState(false);
  if (hasSessionEnded && (mayDiscard || !hasUnsavedChanges())) {
    // This frame is still rendered while the sign-in page loads, and must not redirect a second time.
    if (location.pathname.endsWith('/sign-in')) return null;
    return <Navigate to="/sign-in" search={{ next: location.href }} />;
  }
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'sm', sm: 'lg' }}
    >
      <button type="button" className="console-skip" onClick={skipToContent}>
        Skip to content
      </button>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label="Navigation"
              aria-expanded={isOpen}
            />
            <Text size="md" fw={650} visibleFrom="sm">
              Collaboration
            </Text>
            <KeyPicker />
          </Group>
          <Group gap="xs" wrap="nowrap">
            <Tooltip label="Search">
              <UnstyledButton onClick={() => setOpenings(openings + 1)}>
                <Group gap={6} wrap="nowrap">
                  <Icon name="search" />
                  <VisuallyHidden>Search</VisuallyHidden>
                  <Kbd size="xs" visibleFrom="sm">
                    {isApple ? '⌘ K' : 'Ctrl K'}
                  </Kbd>
                </Group>
              </UnstyledButton>
            </Tooltip>
            <SchemeToggle />
            <Account />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar
        p="xs"
        aria-label="Pages"
        className="console-navigation"
        data-open={isOpen || undefined}
      >
        <ScrollArea>
          <Navigation onChoose={close} />
          <ReadOnly />
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1}>
        {isMissingKey ? KEY_NOT_FOUND : <Outlet />}
      </AppShell.Main>
      {hasSessionEnded && <SessionEnded discard={() => setMayDiscard(true)} />}
      <Suspense>{openings > 0 && <Palette openings={openings} />}</Suspense>
    </AppShell>
  );
}

/** Covers a page with unsaved changes until the person has signed in again in another tab. */
const SessionEnded = ({ discard }: { discard: () => void }) => (
  <Modal
    opened
    onClose={() => {}}
    withCloseButton={false}
    title="Your session has ended"
    zIndex={400}
  >
    <Stack gap="sm">
      <Text>
        Your changes are not saved yet. Sign in again in a new tab, come back to this one, and save
        them.
      </Text>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={discard}>
          Discard changes
        </Button>
        <Button component="a" href="/console/sign-in" target="_blank" data-autofocus>
          Open the sign-in page
        </Button>
      </Group>
    </Stack>
  </Modal>
);

const KEY_NOT_FOUND = (
  <Empty title="API key not found">
    The key was deleted, or you do not have access to it. Choose another key above.
  </Empty>
);

function Navigation({ onChoose }: { onChoose: () => void }) {
  const { key } = useChosenKey();
  const { pathname } = useLocation();
  return (
    <Stack gap={2}>
      {PAGES.map((page) => {
        const { name, icon } = page;
        if (!key && !isServerPage(name)) return null;
        return (
          <NavLink
            key={name}
            renderRoot={(props) => <Link to={pathOf(name, key?.apiKey ?? '')} {...props} />}
            label={labelOf(page)}
            leftSection={<Icon name={icon} />}
            active={pathname.endsWith(`/${name}`)}
            onClick={onChoose}
          />
        );
      })}
    </Stack>
  );
}

/** Informs readers that they cannot change anything, before they try. */
function ReadOnly() {
  if (!useReadOnlyReason()) return null;
  return (
    <Stack gap={2} p="sm" mt="md">
      <Text fw={600}>Read only</Text>
      <Note size="xs">
        You are signed in as a reader. You can see everything except secrets, but you cannot change
        anything.
      </Note>
    </Stack>
  );
}

function SchemeToggle() {
  const { setColorScheme } = useMantineColorScheme();
  const current = useComputedColorScheme('light');
  const other = current === 'light' ? 'dark' : 'light';
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      aria-label={`Switch to ${other} mode`}
      onClick={() => setColorScheme(other)}
    >
      <Icon name={current === 'light' ? 'moon' : 'sun'} />
    </ActionIcon>
  );
}

function Account() {
  const person = usePerson();
  const leave = async () => {
    try {
      await signOut();
    } catch (error) {
      showFailure(error);
      return;
    }
    // A full page load discards all data in memory.
    location.assign('/console/sign-in');
  };
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label="Account">
          <Icon name="person" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {person?.name} ({person?.role})
        </Menu.Label>
        <Menu.Item component="a" href="/docs" target="_blank">
          Documentation
        </Menu.Item>
        <Menu.Item onClick={leave}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
