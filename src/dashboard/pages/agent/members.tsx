import type { ComponentChildren } from 'preact';
import type { Agent } from '../../api/answers.ts';
import { ask } from '../../api/request.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Action } from '../../parts/button.tsx';
import { TextForm } from '../../parts/form.tsx';
import { Card } from '../../parts/layout.tsx';
import { Row, Rows } from '../../parts/list.tsx';
import { State } from '../../parts/value.tsx';
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
  const all = useAnswer('GET /api/agents/_candidates').data?.accounts ?? [];
  const agent_id = agent.id;
  const endpoint = '/api/agents/{agent_id}/accounts';
  const add = (account_id: string) => {
    const account_type = all.find(({ id }) => id === account_id)?.type;
    return ask(`POST ${endpoint}`, { agent_id, account_type, account_id });
  };
  const remove = ({ id: account_id, type: account_type }: Agent['accounts'][number]) =>
    ask(`DELETE ${endpoint}/{account_type}/{account_id}`, { agent_id, account_type, account_id });
  return (
    <Group
      title={t.accounts}
      of={agent.accounts}
      none={t.noAccounts}
      nameOf={({ label }) => label}
      noteOf={({ type, status }) => [texts.loginKinds[type], ' ', <State key={status} of={status} />]}
      remove={remove}
      others={all.map(({ id, label }) => [id, label])}
      label={t.addAccount}
      add={add}
    />
  );
}

function Keys({ agent }: { readonly agent: Agent }) {
  const all = useAnswer('GET /api/api-keys').data?.keys ?? [];
  const agent_id = agent.id;
  const endpoint = '/api/agents/{agent_id}/keys/{key_id}';
  return (
    <Group
      title={t.keys}
      of={agent.keys}
      none={t.noKeys}
      nameOf={({ id }) => all.find((each) => each.id === id)?.name ?? ''}
      noteOf={({ key_prefix: prefix }) => `${prefix}…`}
      remove={({ id: key_id }) => ask(`DELETE ${endpoint}`, { agent_id, key_id })}
      others={all.map(({ id, name, key_prefix: prefix }) => [id, `${name} (${prefix}…)`])}
      label={t.addKey}
      add={(key_id) => ask(`POST ${endpoint}`, { agent_id, key_id })}
    />
  );
}

interface GroupProps<T> {
  readonly title: string;
  readonly of: readonly T[];
  readonly none: string;
  nameOf(member: T): string;
  noteOf(member: T): ComponentChildren;
  remove(member: T): Promise<unknown>;
  /** Ids and names of all there are, also of other agents. */
  readonly others: readonly (readonly [id: string, name: string])[];
  readonly label: string;
  add(id: string): Promise<unknown>;
}

/** The members of a kind, and a form that adds one of what other agents have. */
function Group<T extends { readonly id: string }>(props: GroupProps<T>) {
  const { title, of, none, label, add } = props;
  const others = props.others.filter(([id]) => !of.some((member) => member.id === id));
  const options = Object.fromEntries(others);
  return (
    <Card title={title}>
      <Rows of={of} none={none}>
        {(member) => (
          <Row key={member.id} title={props.nameOf(member)} note={props.noteOf(member)}>
            <Action class="quietly" run={() => props.remove(member)} name={t.takeOut} />
          </Row>
        )}
      </Rows>
      {others.length > 0 && <TextForm label={label} options={options} send={add} action={t.add} />}
    </Card>
  );
}
