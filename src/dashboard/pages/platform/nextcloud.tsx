import { useState } from 'preact/hooks';
import type { Answers } from '../../api/answers.ts';
import { ask } from '../../api/request.ts';
import { Card } from '../../parts/card.tsx';
import { Copyable } from '../../parts/copy.tsx';
import { Field, Form } from '../../parts/form.tsx';
import { texts } from '../../texts.ts';

const t = texts.nextcloud;

/** The addon, or a bot that an administrator installs by hand. */
export function Nextcloud({ onDone }: { onDone(): void }) {
  const [server, setServer] = useState('');
  const [made, setMade] = useState<Answers['POST /api/nctalk/talk-bots']>();
  const submit = async (): Promise<void> => {
    setMade(await ask('POST /api/nctalk/talk-bots', { body: { server_url: server } }));
    onDone();
  };
  return (
    <>
      <Card title={t.addon}>
        <p>{t.addonSteps}</p>
        <Begin />
      </Card>
      <Card title={t.byHand} hint={t.byHandHint}>
        <Form submit={submit} action={t.make}>
          <Field
            label={t.server}
            type="url"
            value={server}
            onValue={setServer}
            required
            placeholder="https://cloud.example.com"
          />
        </Form>
        {made && (
          <>
            <p class="small">{t.runThis}</p>
            <Copyable text={made.install} label={t.line} />
          </>
        )}
      </Card>
    </>
  );
}

/** Leads to the Nextcloud, which asks its person. */
function Begin() {
  const [server, setServer] = useState('');
  const submit = async (): Promise<void> => {
    const params = { provider: 'nctalk' };
    const started = await ask('POST /api/oauth/start/{provider}', { params, body: { server_url: server } });
    location.assign(started.authorize_url);
  };
  return (
    <Form submit={submit} action={t.connect} inline>
      <Field label={t.server} hint={t.connectHint} type="url" value={server} onValue={setServer} required />
    </Form>
  );
}
