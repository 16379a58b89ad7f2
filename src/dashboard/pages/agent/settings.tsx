import { useLocation } from 'wouter-preact';
import type { Agent, Answers } from '../../api/answers.ts';
import { ask } from '../../api/request.ts';
import { Action, Confirm } from '../../parts/button.tsx';
import type { Body } from '../../parts/field.ts';
import { Form } from '../../parts/form.tsx';
import { Card, Read } from '../../parts/layout.tsx';
import { texts } from '../../texts.ts';
import { BudgetTable } from '../account/usage.tsx';
import { t as account } from '../account.texts.ts';
import { t } from '../agents.texts.ts';

const SAVING = { action: texts.save, done: texts.saved };

/** What an agent is called, may do, and may use. */
export function Settings({ agent }: { readonly agent: Agent }) {
  const { budget } = account;
  const agent_id = agent.id;
  const change = (body: object) => ask('PATCH /api/agents/{agent_id}', { agent_id, ...body });
  return (
    <div class="columns">
      <div>
        <section class="card">
          <Form fields={t.naming} stored={agent} submit={change} {...SAVING} />
          {!agent.is_default && <NotDefault agent={agent} />}
        </section>
        <Read from="GET /api/agents/{agent_id}/policy" with={{ agent_id }}>
          {(stored) => <Policy {...stored} />}
        </Read>
      </div>
      <Card title={budget.title} hint={budget.hint}>
        <Read from="GET /api/usage" with={{ days: 1 }}>
          {({ budgets }) => <BudgetTable of={budgets.filter((each) => each.agent_id === agent_id)} />}
        </Read>
        <details>
          <summary>{budget.change}</summary>
          <Form
            fields={budget.limits}
            stored={agent.budget}
            submit={(limits) => change({ budget: limits })}
            {...SAVING}
            isGrid
          />
        </details>
      </Card>
    </div>
  );
}

function NotDefault({ agent }: { readonly agent: Agent }) {
  const [, navigate] = useLocation();
  const agent_id = agent.id;
  const choose = () => ask('POST /api/agents/{agent_id}/set-default', { agent_id });
  const remove = () => ask('DELETE /api/agents/{agent_id}', { agent_id }).then(() => navigate('/agents'));
  return (
    <div class="row">
      <Action run={choose} done={texts.saved} name={t.makeDefault} />
      <Confirm question={t.removeQuestion(agent.name)} run={remove} />
    </div>
  );
}

function Policy(stored: Answers['GET /api/agents/{agent_id}/policy']) {
  const { agent_id, tools } = stored;
  const shown = { ...stored, tools: tools !== null && tools.length === 0 };
  const submit = (body: Body) =>
    ask('PATCH /api/agents/{agent_id}/policy', { agent_id, ...body, tools: body.tools ? [] : null });
  return (
    <Card title={t.policy}>
      <Form fields={t.policyFields} stored={shown} submit={submit} {...SAVING} />
    </Card>
  );
}
