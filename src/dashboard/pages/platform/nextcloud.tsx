import { useState } from 'preact/hooks';
import type { Answers } from '../../api/answers.ts';
import { ask } from '../../api/request.ts';
import { Card } from '../../parts/card.tsx';
import { Copyable } from '../../parts/copy.tsx';
import { TextForm } from '../../parts/form.tsx';
import { texts } from '../../texts.ts';

const t = texts.nextcloud;

/** The addon, or a bot that an administrator installs by hand. */
export function Nextcloud({ onDone }: { onDone(): void }) {
  const [made, setMade] = useState<Answers['POST /api/nctalk/talk-bots']>();
  const make = async (server: string): Promise<void> => {
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
        <TextForm
          action={t.make}
          label={t.server}
          send={make}
          type="url"
          placeholder="https://cloud.example.com"
        />
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
  const begin = async (server: string): Promise<void> => {
    const params = { provider: 'nctalk' };
    const started = await ask('POST /api/oauth/start/{provider}', { params, body: { server_url: server } });
    location.assign(started.authorize_url);
  };
  return <TextForm action={t.connect} label={t.server} hint={t.connectHint} send={begin} type="url" />;
}
