import { useState } from 'preact/hooks';
import type { Answers } from '../api/answers.ts';
import { ask } from '../api/request.ts';
import { useAnswer } from '../api/use-answer.ts';
import { Card } from '../parts/card.tsx';
import { Confirm, Dialog } from '../parts/dialog.tsx';
import { TextForm } from '../parts/form.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { LoadedRows, Row } from '../parts/rows.tsx';
import { texts } from '../texts.ts';
import { AgentPing } from './keys/agent-ping.tsx';
import { Clients } from './keys/clients.tsx';
import { LastUse } from './keys/last-use.tsx';
import { NewKey } from './keys/new-key.tsx';

const t = texts.keys;
const KINDS = {
  agent: { list: 'GET /api/api-keys', create: 'POST /api/api-keys', revoke: 'DELETE /api/api-keys/{key_id}' },
  settings: {
    list: 'GET /api/settings-keys',
    create: 'POST /api/settings-keys',
    revoke: 'DELETE /api/settings-keys/{key_id}',
  },
} as const;

export function KeysPage() {
  return (
    <>
      <PageHead title={texts.nav.keys} />
      <div class="columns">
        <Keys kind="agent" />
        <AgentPing />
        <Keys kind="settings" />
        <Clients />
      </div>
    </>
  );
}

function Keys({ kind }: { readonly kind: keyof typeof KINDS }) {
  const endpoints = KINDS[kind];
  const keys = useAnswer(endpoints.list);
  const [created, setCreated] = useState<Answers['POST /api/api-keys']>();
  const create = async (name: string): Promise<void> => {
    setCreated(await ask(endpoints.create, { body: { name } }));
    keys.reload();
  };
  const revoke = async (id: string): Promise<void> => {
    await ask(endpoints.revoke, { params: { key_id: id } });
    keys.reload();
  };
  return (
    <Card title={t.titles[kind]} hint={t.purposes[kind]}>
      <LoadedRows answer={keys} of={(data) => data.keys} none={t.none}>
        {({ id, name: known, key_prefix: prefix, last_used_at: at }) => (
          <Row key={id} title={known} note={<LastUse of={`${prefix}…`} at={at} />}>
            <Confirm
              class="quietly"
              action={t.revoke}
              question={t.revokeQuestion(known)}
              run={() => revoke(id)}
            />
          </Row>
        )}
      </LoadedRows>
      <TextForm action={t.create} label={t.name} send={create} maxLength={80} />
      {created && (
        <Dialog title={t.created} onClose={() => setCreated(undefined)}>
          <NewKey value={created.key} isAgent={kind === 'agent'} />
        </Dialog>
      )}
    </Card>
  );
}
