import { useSignal } from '@preact/signals';
import { ask } from '../../api/request.ts';
import { Card } from '../../parts/card.tsx';
import { entryOf } from '../../parts/draft.ts';
import { Field, Form } from '../../parts/form.tsx';
import { tell } from '../../parts/toasts.tsx';
import { texts } from '../../texts.ts';

const t = texts.bots;

/** What else a platform needs beside the token. */
const FIELDS: Readonly<Record<string, readonly (keyof typeof t.fields)[]>> = {
  discord: ['discord_app_id'],
  slack: ['slack_signing_secret', 'slack_app_token'],
};

/** Registers a bot of one's own. */
export function BotForm({ platform, onDone }: { readonly platform: string; onDone(): void }) {
  const token = useSignal('');
  const others = useSignal<Readonly<Record<string, string>>>({});
  const submit = async (): Promise<void> => {
    const given = Object.entries(others.value).filter(([, value]) => value !== '');
    await ask('POST /api/bot-tokens', {
      body: { platform, bot_token: token.value, ...Object.fromEntries(given) },
    });
    token.value = '';
    others.value = {};
    tell(t.registered);
    onDone();
  };
  return (
    <Card title={t.title} hint={t.hints[platform]}>
      <Form submit={submit} action={t.register}>
        <Field label={t.token} type="password" of={token} required autocomplete="off" />
        {(FIELDS[platform] ?? []).map((name) => (
          <Field
            key={name}
            label={t.fields[name]}
            type={name === 'discord_app_id' ? 'text' : 'password'}
            of={entryOf(others, name, '')}
            autocomplete="off"
          />
        ))}
      </Form>
    </Card>
  );
}
