import { useState } from 'preact/hooks';
import type { Answers } from '../../api/answers.ts';
import { ask } from '../../api/request.ts';
import { Action, DialogButton } from '../../parts/button.tsx';
import { Source } from '../../parts/copy.tsx';
import { Card, Read } from '../../parts/layout.tsx';
import { List, Row } from '../../parts/list.tsx';
import { Moment, State } from '../../parts/value.tsx';
import { t } from '../agents.texts.ts';

type Detail = Answers['GET /api/agent-deliveries/{id}'];

const PAGE = 50;

/** The events that a model was asked about, and what came of them. */
export function Deliveries({ agentId: agent_id }: { readonly agentId: string }) {
  return (
    <section class="card">
      <List
        from="GET /api/agents/{agent_id}/deliveries"
        with={{ agent_id, limit: PAGE }}
        on={['dm_', 'call_']}
        everyMs={10_000}
        of={({ deliveries }) => deliveries}
        by="id"
        next={({ total }, pages) => (total > pages * PAGE ? { offset: pages * PAGE } : null)}
        none={t.noDelivery}
      >
        {({ id, event_type: type, status, created_at: at, error }) => {
          const title = (
            <DialogButton class="link" name={t.eventTypes[type] ?? type} title={t.delivery}>
              {() => <OneDelivery id={id} />}
            </DialogButton>
          );
          return (
            <Row title={title} note={error ?? <Moment iso={at} />}>
              <State of={status} kind="model" />
            </Row>
          );
        }}
      </List>
    </section>
  );
}

function OneDelivery({ id }: { readonly id: string }) {
  const replay = () => ask('POST /api/agent-deliveries/{id}/replay', { id });
  return (
    <>
      <Read from="GET /api/agent-deliveries/{id}" with={{ id }} everyMs={3_000}>
        {(found) => <Shown {...found} />}
      </Read>
      <div class="row">
        <Action run={replay} done={t.replayed} name={t.replay} />
      </div>
    </>
  );
}

function Shown({ payload, actions, attempts, usage, ...outcome }: Detail) {
  return (
    <>
      <Outcome {...outcome} />
      <p class="quiet small">{t.cost(attempts, usage.input_tokens, usage.output_tokens)}</p>
      <h3>{t.event}</h3>
      <Source text={JSON.stringify(payload, null, 2)} label={t.event} />
      {actions.length > 0 && <h3>{t.actions}</h3>}
      <ul>
        {actions.map(({ index, action, status, reason }) => (
          <li key={index}>
            <code>{JSON.stringify(action)}</code> {status} {reason}
          </li>
        ))}
      </ul>
    </>
  );
}

/** What came of a question. */
function Outcome({
  status,
  error,
  response_body: reply,
}: Pick<Detail, 'status' | 'error' | 'response_body'>) {
  return (
    <>
      <p class="row">
        <State of={status} kind="model" /> <span class="small">{error}</span>
      </p>
      {reply !== null && <Source text={reply} label={t.reply} />}
    </>
  );
}

type Tested = Answers['POST /api/agents/{agent_id}/test?wait=55'];

/** Sends the model a message of the gateway's own, and shows its reply. */
export function TestAgent({ agentId: agent_id }: { readonly agentId: string }) {
  const [tested, setTested] = useState<Tested>();
  const test = async (): Promise<void> =>
    setTested(await ask('POST /api/agents/{agent_id}/test?wait=55', { agent_id }));
  const forget = () => ask('POST /api/agents/{agent_id}/reset-conversations', { agent_id });
  return (
    <Card title={t.test} hint={t.testHint}>
      <div class="row">
        <Action class="primary" run={test} name={t.testAction} />
        <Action run={forget} done={t.forgotten} name={t.forget} />
      </div>
      {tested && <Outcome {...tested} />}
    </Card>
  );
}
