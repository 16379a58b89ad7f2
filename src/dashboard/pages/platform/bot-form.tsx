import { useState } from 'preact/hooks';
import { ask } from '../../api/request.ts';
import { Card } from '../../parts/card.tsx';
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
  const [token, setToken] = useState('');
  const [others, setOthers] = useState<Readonly<Record<string, string>>>({});
  const submit = async (): Promise<void> => {
    const given = Object.entries(others).filter(([, value]) => value !== '');
    await ask('POST /api/bot-tokens', { body: { platform, bot_token: token, ...Object.fromEntries(given) } });
    setToken('');
    setOthers({});
    tell(t.registered);
    onDone();
  };
  return (
    <Card title={t.title} hint={t.hints[platform]}>
      <Form submit={submit} action={t.register}>
        <Field label={t.token} type="password" value={token} onValue={setToken} required autocomplete="off" />
        {(FIELDS[platform] ?? []).map((name) => (
          <Field
            key={name}
            label={t.fields[name]}
            type={name === 'discord_app_id' ? 'text' : 'password'}
            value={others[name] ?? ''}
            onValue={(value) => setOthers({ ...others, [name]: value })}
            autocomplete="off"
          />
        ))}
      </Form>
    </Card>
  );
}
