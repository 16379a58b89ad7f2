import { useSignal } from '@preact/signals';
import type { Agent, Answers, Key } from '../../api/answers.ts';
import { ask } from '../../api/request.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Action } from '../../parts/action.tsx';
import { StatusBadge } from '../../parts/badge.tsx';
import { Choice, Form } from '../../parts/form.tsx';
import { Card, Row, Rows } from '../../parts/layout.tsx';
import { texts } from '../../texts.ts';

type Candidate = Answers['GET /api/agents/_candidates']['accounts'][number];

const t = texts.agents;

/** The platform accounts, keys and MCP clients of an agent. */
export function Members({ agent }: { readonly agent: Agent }) {
  return (
    <div class="columns">
      <Accounts agent={agent} />
      <Keys agent={agent} />
      {agent.oauth_clients.length > 0 && (
        <Card title={t.clients}>
          <ul class="rows">
            {agent.oauth_clients.map(({ client_id: id, client_name: name }) => (
              <li key={id}>{name}</li>
            ))}
          </ul>
        </Card>
      )}
    </div>
  );
}

function Accounts({ agent }: { readonly agent: Agent }) {
  const candidates = useAnswer('GET /api/agents/_candidates');
  const others = (candidates.data?.accounts ?? []).filter(
    (each) => !agent.accounts.some(({ id }) => id === each.id),
  );
  const agent_id = agent.id;
  const remove = (account_type: string, account_id: string) =>
    ask('DELETE /api/agents/{agent_id}/accounts/{account_type}/{account_id}', {
      params: { agent_id, account_type, account_id },
    });
  const add = ({ type, id }: Candidate) =>
    ask('POST /api/agents/{agent_id}/accounts', {
      params: { agent_id },
      body: { account_type: type, account_id: id },
    });
  return (
    <Card title={t.accounts}>
      <Rows of={agent.accounts} none={t.noAccounts}>
        {({ type, id, label, status }) => (
          <Row key={id} title={label} note={texts.platformPages.kinds[type]}>
            <StatusBadge status={status} />
            <Action class="quietly" run={() => remove(type, id)}>
              {t.takeOut}
            </Action>
          </Row>
        )}
      </Rows>
      <Adding
        what={others}
        nameOf={({ label }) => label}
        idOf={({ id }) => id}
        label={t.addAccount}
        add={add}
      />
    </Card>
  );
}

function Keys({ agent }: { readonly agent: Agent }) {
  const keys = useAnswer('GET /api/api-keys');
  const all = keys.data?.keys ?? [];
  const own = new Set(agent.keys.map(({ id }) => id));
  const agent_id = agent.id;
  const remove = (key_id: string) =>
    ask('DELETE /api/agents/{agent_id}/keys/{key_id}', { params: { agent_id, key_id } });
  const add = ({ id }: Key) =>
    ask('POST /api/agents/{agent_id}/keys/{key_id}', { params: { agent_id, key_id: id } });
  return (
    <Card title={t.keys}>
      <Rows of={agent.keys} none={t.noKeys}>
        {({ id, key_prefix: prefix }) => (
          <Row key={id} title={all.find((each) => each.id === id)?.name} note={`${prefix}…`}>
            <Action class="quietly" run={() => remove(id)}>
              {t.takeOut}
            </Action>
          </Row>
        )}
      </Rows>
      <Adding
        what={all.filter(({ id }) => !own.has(id))}
        nameOf={({ name, key_prefix: prefix }) => `${name} (${prefix}…)`}
        idOf={({ id }) => id}
        label={t.addKey}
        add={add}
      />
    </Card>
  );
}

interface AddingProps<T> {
  readonly what: readonly T[];
  nameOf(each: T): string;
  idOf(each: T): string;
  readonly label: string;
  add(chosen: T): Promise<unknown>;
}

/** Chooses one of what other agents have. */
function Adding<T>({ what, nameOf, idOf, label, add }: AddingProps<T>) {
  const chosenId = useSignal('');
  if (what.length === 0) return null;
  const chosen = what.find((each) => idOf(each) === chosenId.value) ?? what[0]!;
  return (
    <Form submit={() => add(chosen)} action={t.add} inline>
      <Choice label={label} of={chosenId} options={what.map((each) => [idOf(each), nameOf(each)] as const)} />
    </Form>
  );
}
