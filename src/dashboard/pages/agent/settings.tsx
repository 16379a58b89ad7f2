import { useLocation } from 'wouter-preact';
import type { Agent, Answers } from '../../api/answers.ts';
import { ask } from '../../api/request.ts';
import { Action } from '../../parts/action.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import type { Body } from '../../parts/field.ts';
import { Form } from '../../parts/form.tsx';
import { Card, Read } from '../../parts/layout.tsx';
import { texts } from '../../texts.ts';
import { BudgetTable } from '../account/usage.tsx';
import { t as account } from '../account.texts.ts';
import { t } from '../agents.texts.ts';

/** What an agent is called, may do, and may use. */
export function Settings({ agent }: { readonly agent: Agent }) {
  const params = { agent_id: agent.id };
  const change = (body: object) => ask('PATCH /api/agents/{agent_id}', { params, body });
  const common = { action: texts.save, done: texts.saved };
  return (
    <div class="columns">
      <div>
        <section class="card">
          <Form fields={t.naming} stored={agent} submit={change} {...common} />
          {!agent.is_default && <NotDefault agent={agent} />}
        </section>
        <Read from="GET /api/agents/{agent_id}/policy" params={params}>
          {(stored) => <Policy stored={stored} />}
        </Read>
      </div>
      <Read from="GET /api/usage" query={{ days: 1 }}>
        {({ budgets }) => (
          <Card title={account.budget.title} hint={account.budget.hint}>
            <BudgetTable of={budgets.filter((each) => each.agent_id === agent.id)} />
            <details>
              <summary>{account.budget.change}</summary>
              <Form
                fields={account.budget.limits}
                stored={agent.budget}
                submit={(budget) => change({ budget })}
                {...common}
                isGrid
              />
            </details>
          </Card>
        )}
      </Read>
    </div>
  );
}

function NotDefault({ agent }: { readonly agent: Agent }) {
  const [, navigate] = useLocation();
  const params = { agent_id: agent.id };
  const remove = async (): Promise<void> => {
    await ask('DELETE /api/agents/{agent_id}', { params });
    navigate('/agents');
  };
  return (
    <div class="row">
      <Action
        run={() => ask('POST /api/agents/{agent_id}/set-default', { params })}
        done={texts.saved}
        name={t.makeDefault}
      />
      <Confirm class="quietly" action={texts.remove} question={t.removeQuestion(agent.name)} run={remove} />
    </div>
  );
}

function Policy({ stored }: { readonly stored: Answers['GET /api/agents/{agent_id}/policy'] }) {
  const { agent_id, tools } = stored;
  const submit = ({ tools: withoutTools, ...same }: Body) => {
    const body = { ...same, tools: withoutTools ? [] : null };
    return ask('PATCH /api/agents/{agent_id}/policy', { params: { agent_id }, body });
  };
  return (
    <Card title={t.policy}>
      <Form
        fields={t.policyFields}
        stored={{ ...stored, tools: tools !== null && tools.length === 0 }}
        submit={submit}
        action={texts.save}
        done={texts.saved}
      />
    </Card>
  );
}
