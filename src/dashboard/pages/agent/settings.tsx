import { useLocation } from 'wouter-preact';
import type { Agent, Answers } from '../../api/answers.ts';
import { ask } from '../../api/request.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Action, Confirm, tell } from '../../parts/action.tsx';
import { useDraft, valuesOf } from '../../parts/draft.ts';
import { Area, Check, Field, Form } from '../../parts/form.tsx';
import { Card, Loaded } from '../../parts/layout.tsx';
import { texts } from '../../texts.ts';
import { BudgetTable } from '../account/budgets.tsx';

const { agents: t, policy: p, budgets: b } = texts;

/** What an agent is called, may do, and may use. */
export function Settings({ agent }: { readonly agent: Agent }) {
  const policy = useAnswer('GET /api/agents/{agent_id}/policy', { params: { agent_id: agent.id } });
  const usage = useAnswer('GET /api/usage', { query: { days: 1 } });
  return (
    <div class="columns">
      <div>
        <Name agent={agent} />
        <Loaded answer={policy}>{(stored) => <Policy stored={stored} />}</Loaded>
      </div>
      <Loaded answer={usage}>
        {({ budgets }) => (
          <Card title={b.title} hint={b.hint}>
            <BudgetTable of={budgets.filter((each) => each.agent_id === agent.id)} />
            <Budget agent={agent} />
          </Card>
        )}
      </Loaded>
    </div>
  );
}

/** Changes the agent, and says that it was saved. */
async function change({ id }: Agent, body: object): Promise<void> {
  await ask('PATCH /api/agents/{agent_id}', { params: { agent_id: id }, body });
  tell(texts.saved);
}

function Name({ agent }: { readonly agent: Agent }) {
  const [, navigate] = useLocation();
  const draft = useDraft({ name: agent.name, timeout_text: agent.timeout_text ?? '' });
  const params = { agent_id: agent.id };
  const submit = (): Promise<void> => {
    const { name, timeout_text } = valuesOf(draft);
    return change(agent, { name, timeout_text: timeout_text || null });
  };
  const remove = async (): Promise<void> => {
    await ask('DELETE /api/agents/{agent_id}', { params });
    navigate('/agents');
  };
  return (
    <section class="card">
      <Form submit={submit} action={texts.save}>
        <Field label={texts.name} of={draft.name} required maxLength={80} />
        <Area label={t.timeoutText} hint={t.timeoutHint} of={draft.timeout_text} rows={2} maxLength={1_000} />
      </Form>
      {!agent.is_default && (
        <div class="row">
          <Action run={() => ask('POST /api/agents/{agent_id}/set-default', { params })} done={texts.saved}>
            {t.makeDefault}
          </Action>
          <Confirm
            class="quietly"
            action={texts.remove}
            question={t.removeQuestion(agent.name)}
            run={remove}
          />
        </div>
      )}
    </section>
  );
}

function Policy({ stored }: { readonly stored: Answers['GET /api/agents/{agent_id}/policy'] }) {
  const { agent_id, calls, new_conversations, actions_per_turn } = stored;
  const first = { calls: calls.join('\n'), new_conversations, actions_per_turn: `${actions_per_turn}` };
  const draft = useDraft({ ...first, tools: stored.tools !== null && stored.tools.length === 0 });
  const submit = async (): Promise<void> => {
    const { calls: lines, actions_per_turn: actions, tools, ...same } = valuesOf(draft);
    const wanted = lines.split('\n').filter((line) => line.trim() !== '');
    const body = { ...same, calls: wanted, actions_per_turn: Number(actions), tools: tools ? [] : null };
    await ask('PATCH /api/agents/{agent_id}/policy', { params: { agent_id }, body });
    tell(texts.saved);
  };
  return (
    <Card title={p.title}>
      <Form submit={submit} action={texts.save}>
        <Area label={p.calls} hint={p.callsHint} of={draft.calls} rows={3} />
        <Check label={p.newConversations} of={draft.new_conversations} />
        <Check label={p.noTools} of={draft.tools} />
        <Field label={p.actions} of={draft.actions_per_turn} type="number" min={0} max={20} required />
      </Form>
    </Card>
  );
}

/** Limits of its own. */
function Budget({ agent }: { readonly agent: Agent }) {
  const stored = Object.entries(agent.budget).map(([name, limit]) => [
    name,
    limit === null ? '' : `${limit}`,
  ]);
  const draft = useDraft(Object.fromEntries(stored) as Record<keyof Agent['budget'], string>);
  const submit = (): Promise<void> => {
    const limits = Object.entries(valuesOf(draft)).map(([name, text]) => [
      name,
      text === '' ? null : Number(text),
    ]);
    return change(agent, { budget: Object.fromEntries(limits) });
  };
  return (
    <details>
      <summary>{b.change}</summary>
      <Form submit={submit} action={texts.save}>
        <div class="grid">
          {b.limits.map(([name, label]) => (
            <Field key={name} label={label} of={draft[name]} type="number" min={0} placeholder={b.usual} />
          ))}
        </div>
      </Form>
    </details>
  );
}
