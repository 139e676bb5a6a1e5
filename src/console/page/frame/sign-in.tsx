import {
  Alert,
  Anchor,
  Button,
  Center,
  Divider,
  Paper,
  PasswordInput,
  SegmentedControl,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, useEffect, useState } from 'react';
import { toCollaborationError } from '../../../client/error.ts';
import type { Credentials } from '../../session/sign-in.ts';
import { OPEN_ID_REFUSALS, type OpenIdRefusal } from '../../session/sign-in-page.ts';
import { queryClient } from '../api/query-client.ts';
import { sessionQuery, signIn } from '../api/session.ts';
import { LoadingButton } from '../parts/action-button.tsx';

interface CredentialKind {
  label: string;
  /** Undefined for the administrator, who has no id. */
  idLabel?: string;
  secretLabel: string;
  /** Says where the secret comes from, and what it gives access to. */
  description: string;
  credentials: (id: string, secret: string) => Credentials;
}

const KINDS = {
  administrator: {
    label: 'Administrator',
    secretLabel: 'Admin token',
    description:
      'From ADMIN_TOKEN, or the file admin-token in DATA_DIR. Gives access to all workspaces.',
    credentials: (_, adminToken) => ({ adminToken }),
  },
  workspace: {
    label: 'Workspace',
    idLabel: 'Workspace ID',
    secretLabel: 'Workspace auth token',
    description: 'Issued when the workspace was created. Gives access to its API keys.',
    credentials: (workspaceId, workspaceAuthToken) => ({ workspaceId, workspaceAuthToken }),
  },
  key: {
    label: 'API key',
    idLabel: 'API key',
    secretLabel: 'Auth token',
    description: 'The credentials that your server uses. Gives access to this key only.',
    credentials: (apiKey, authToken) => ({ apiKey, authToken }),
  },
} satisfies Record<string, CredentialKind>;

export function SignIn() {
  const [kind, setKind] = useState<keyof typeof KINDS>('administrator');
  const [id, setId] = useState('');
  const [secret, setSecret] = useState('');
  const { refused, next } = useSearch({ from: '/sign-in' });
  const navigate = useNavigate();
  const { data: session } = useQuery(sessionQuery);
  const signingIn = useMutation({
    mutationFn: signIn,
    onSuccess: (signedIn) => {
      queryClient.clear();
      queryClient.setQueryData(sessionQuery.queryKey, signedIn);
      void navigate({ href: next ?? '/', replace: true });
    },
  });
  const { mutate: signInWith } = signingIn;

  useEffect(() => {
    // The fragment of the link that `npm start` prints is a secret, which must not stay in the browser's history.
    const link = location.hash.slice(1);
    if (!link) return;
    history.replaceState(null, '', location.pathname);
    signInWith({ link });
  }, [signInWith]);

  const { idLabel, secretLabel, description, credentials }: CredentialKind = KINDS[kind];
  const submit = (event: FormEvent) => {
    event.preventDefault();
    signInWith(credentials(id.trim(), secret.trim()));
  };
  const refusal = refused && OPEN_ID_REFUSALS[refused as OpenIdRefusal];
  const problem = signingIn.error ? toCollaborationError(signingIn.error).message : refusal;
  return (
    <Center mih="100dvh" p="md" component="main">
      <Paper withBorder p="lg" w="100%" maw={420} shadow="sm">
        <Stack>
          <div>
            <Title order={1} size="h3">
              Collaboration console
            </Title>
            <Text c="dimmed">Sign in to this server.</Text>
          </div>
          {problem && (
            <Alert color="red" title="Sign-in failed" role="alert">
              {problem}
            </Alert>
          )}
          {session?.hasOpenId && (
            <>
              <Button
                component="a"
                href={`/console/open-id${next ? `?next=${encodeURIComponent(next)}` : ''}`}
              >
                Continue with single sign-on
              </Button>
              <Divider label="or" />
            </>
          )}
          <SegmentedControl
            aria-label="Kind of credentials"
            value={kind}
            onChange={(chosen) => setKind(chosen as typeof kind)}
            data={Object.entries(KINDS).map(([value, { label }]) => ({ value, label }))}
          />
          <form onSubmit={submit}>
            <Stack>
              {idLabel && (
                <TextInput
                  label={idLabel}
                  value={id}
                  onChange={(event) => setId(event.currentTarget.value)}
                  autoComplete="username"
                  required
                />
              )}
              <PasswordInput
                label={secretLabel}
                description={description}
                value={secret}
                onChange={(event) => setSecret(event.currentTarget.value)}
                autoComplete="current-password"
                visibilityToggleButtonProps={{ 'aria-label': `Show ${secretLabel}` }}
                required
              />
              <LoadingButton type="submit" loading={signingIn.isPending}>
                Sign in
              </LoadingButton>
            </Stack>
          </form>
          <Text size="xs" c="dimmed">
            The server prints a one-time sign-in link when it starts.{' '}
            <Anchor href="/docs" inherit>
              Documentation
            </Anchor>
          </Text>
        </Stack>
      </Paper>
    </Center>
  );
}
