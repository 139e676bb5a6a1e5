import { Group, Text } from '@mantine/core';
import { useRead } from '../../api/read.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Loaded, Note } from '../../parts/basics.tsx';
import { FormButton } from '../../parts/form.tsx';
import { Section } from '../../parts/panel.tsx';

export function Domains() {
  const domains = useRead('domains.get', {});
  return (
    <Section
      title="Allowed domains"
      actions={
        <FormButton
          label="Add domains"
          submitLabel="Add"
          fields={{
            name: 'domains',
            label: 'Domains',
            description: 'For example app.example.com. Press Enter to add one to the list.',
            kind: 'list',
            required: true,
          }}
          submit={(call, values: { domains: string[] }) => call('domains.add', values)}
          notice="Domains added."
        />
      }
    >
      <Note>
        Browsers can use the key only from these domains. If there are none, browsers can use it
        from anywhere.
      </Note>
      <Loaded query={domains}>
        {({ allowedDomains }) => (
          <ul className="console-list">
            {allowedDomains.length === 0 && <li>All domains are allowed.</li>}
            {allowedDomains.map((domain) => (
              <li key={domain}>
                <Group gap="xs">
                  <Text className="console-mono">{domain}</Text>
                  <ActionButton
                    label="Remove"
                    size="compact-xs"
                    aria-label={`Remove ${domain}`}
                    run={(call) => call('domains.delete', { domains: [domain] })}
                    notice={`Removed ${domain}.`}
                    question="Remove this domain?"
                    consequences={
                      allowedDomains.length === 1
                        ? 'This is the last domain. Without it, browsers can use the key from anywhere.'
                        : `Browsers on ${domain} can no longer use the key.`
                    }
                    confirmLabel="Remove domain"
                  />
                </Group>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Section>
  );
}
