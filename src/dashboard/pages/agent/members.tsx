import type { ComponentChildren } from 'preact';
import type { Agent } from '../../api/answers.ts';
import { ask } from '../../api/request.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Action } from '../../parts/action.tsx';
import { TextForm } from '../../parts/form.tsx';
import { Card, Row, Rows } from '../../parts/layout.tsx';
import { State } from '../../parts/state.tsx';
import { texts } from '../../texts.ts';
import { t } from '../agents.texts.ts';

/** The platform accounts, keys and MCP clients of an agent. */
export function Members({ agent }: { readonly agent: Agent }) {
  return (
    <div class="columns">
      <Accounts agent={agent} />
      <Keys agent={agent} />
      {agent.oauth_clients.length > 0 && (
        <Card title={t.clients}>
          <Rows of={agent.oauth_clients}>
            {({ client_id: id, client_name: name }) => <Row key={id} title={name} />}
          </Rows>
        </Card>
      )}
    </div>
  );
}

function Accounts({ agent }: { readonly agent: Agent }) {
  const candidates = useAnswer('GET /api/agents/_candidates');
  const all = candidates.data?.accounts ?? [];
  const agent_id = agent.id;
  const remove = (account_type: string, account_id: string) =>
    ask('DELETE /api/agents/{agent_id}/accounts/{account_type}/{account_id}', {
      params: { agent_id, account_type, account_id },
    });
  const add = (account_id: string) => {
    const body = { account_type: all.find(({ id }) => id === account_id)?.type, account_id };
    return ask('POST /api/agents/{agent_id}/accounts', { params: { agent_id }, body });
  };
  return (
    <Group
      title={t.accounts}
      of={agent.accounts}
      none={t.noAccounts}
      row={({ type, id, label, status }) => (
        <Row key={id} title={label} note={texts.loginKinds[type]}>
          <State of={status} />
          <TakeOut run={() => remove(type, id)} />
        </Row>
      )}
      others={all.map(({ id, label }) => [id, label])}
      label={t.addAccount}
      add={add}
    />
  );
}

function Keys({ agent }: { readonly agent: Agent }) {
  const keys = useAnswer('GET /api/api-keys');
  const all = keys.data?.keys ?? [];
  const endpoint = '/api/agents/{agent_id}/keys/{key_id}';
  const paramsOf = (key_id: string) => ({ params: { agent_id: agent.id, key_id } });
  return (
    <Group
      title={t.keys}
      of={agent.keys}
      none={t.noKeys}
      row={({ id, key_prefix: prefix }) => (
        <Row key={id} title={all.find((each) => each.id === id)?.name} note={`${prefix}…`}>
          <TakeOut run={() => ask(`DELETE ${endpoint}`, paramsOf(id))} />
        </Row>
      )}
      others={all.map(({ id, name, key_prefix: prefix }) => [id, `${name} (${prefix}…)`])}
      label={t.addKey}
      add={(id) => ask(`POST ${endpoint}`, paramsOf(id))}
    />
  );
}

function TakeOut({ run }: { run(): Promise<unknown> }) {
  return <Action class="quietly" run={run} name={t.takeOut} />;
}

interface GroupProps<T> {
  readonly title: string;
  readonly of: readonly T[];
  readonly none: string;
  row(member: T): ComponentChildren;
  /** All there are, also of other agents. */
  readonly others: readonly (readonly [id: string, name: string])[];
  readonly label: string;
  add(id: string): Promise<unknown>;
}

/** The members of a kind, and a form that adds one of what other agents have. */
function Group<T extends { readonly id: string }>({
  title,
  of,
  none,
  row,
  others,
  ...adding
}: GroupProps<T>) {
  const options = others.filter(([id]) => !of.some((member) => member.id === id));
  const choice = { label: adding.label, type: 'choice', options };
  return (
    <Card title={title}>
      <Rows of={of} none={none}>
        {row}
      </Rows>
      {options.length > 0 && <TextForm {...choice} send={adding.add} action={t.add} />}
    </Card>
  );
}
