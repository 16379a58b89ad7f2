import { useState } from 'preact/hooks';
import type { Answers } from '../api/answers.ts';
import { ask } from '../api/request.ts';
import { useAnswer } from '../api/use-answer.ts';
import { Confirm, Dialog } from '../parts/dialog.tsx';
import { Field, Form } from '../parts/form.tsx';
import { Moment } from '../parts/moment.tsx';
import { Empty, Loaded } from '../parts/notes.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { texts } from '../texts.ts';
import { AgentPing } from './keys/agent-ping.tsx';
import { Clients } from './keys/clients.tsx';
import { NewKey } from './keys/new-key.tsx';

type Created = Answers['POST /api/api-keys'];

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
  const [name, setName] = useState('');
  const [created, setCreated] = useState<Created>();
  const submit = async (): Promise<void> => {
    setCreated(await ask(endpoints.create, { body: { name } }));
    setName('');
    keys.reload();
  };
  const revoke = async (id: string): Promise<void> => {
    await ask(endpoints.revoke, { params: { key_id: id } });
    keys.reload();
  };
  return (
    <section class="card">
      <h2>{t.titles[kind]}</h2>
      <p class="quiet small">{t.purposes[kind]}</p>
      <Loaded answer={keys}>
        {(data) =>
          data.keys.length === 0 ? (
            <Empty>{t.none}</Empty>
          ) : (
            <ul class="rows">
              {data.keys.map((key) => (
                <li key={key.id} class="row-card">
                  <span class="grow">
                    <strong class="cut">{key.name}</strong>
                    <span class="quiet small">
                      <code>{key.key_prefix}…</code> ·{' '}
                      {key.last_used_at === null ? (
                        t.unused
                      ) : (
                        <>
                          {t.used} <Moment iso={key.last_used_at} />
                        </>
                      )}
                    </span>
                  </span>
                  <Confirm
                    class="quietly"
                    action={t.revoke}
                    question={t.revokeQuestion(key.name)}
                    run={() => revoke(key.id)}
                  />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <Form submit={submit} action={t.create} inline>
        <Field label={t.name} value={name} onValue={setName} required maxLength={80} autocomplete="off" />
      </Form>
      {created && (
        <Dialog title={t.created} onClose={() => setCreated(undefined)}>
          <NewKey value={created.key} isAgent={kind === 'agent'} />
        </Dialog>
      )}
    </section>
  );
}
