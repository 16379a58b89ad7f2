import { Link, useLocation } from 'wouter-preact';
import type { Agent } from '../api/answers.ts';
import { ask } from '../api/request.ts';
import { useAnswer } from '../api/use-answer.ts';
import { Action, Confirm, tell } from '../parts/action.tsx';
import { Badge } from '../parts/badge.tsx';
import { useDraft, valuesOf } from '../parts/draft.ts';
import { Area, Field, Form } from '../parts/form.tsx';
import { Empty, Loaded, PageHead } from '../parts/layout.tsx';
import { texts } from '../texts.ts';
import { Deliveries } from './agent/deliveries.tsx';
import { Members } from './agent/members.tsx';
import { PolicyForm } from './agent/policy-form.tsx';
import { ProviderForm } from './agent/provider-form.tsx';

const t = texts.agents;
const TABS = ['members', 'provider', 'deliveries', 'settings'] as const;

export function AgentPage({ agentId, tab }: { readonly agentId: string; readonly tab: string }) {
  const agents = useAnswer('GET /api/agents');
  return (
    <Loaded answer={agents}>
      {(data) => {
        const agent = data.agents.find(({ id }) => id === agentId);
        return agent ? <Whole agent={agent} tab={tab} /> : <Empty>{t.unknown}</Empty>;
      }}
    </Loaded>
  );
}

function Whole({ agent, tab }: { readonly agent: Agent; readonly tab: string }) {
  return (
    <>
      <PageHead title={<span class="cut">{agent.name}</span>} back="/agents">
        {agent.is_default && <Badge>{t.isDefault}</Badge>}
      </PageHead>
      <nav class="tabs" aria-label={agent.name}>
        {TABS.map((each) => (
          <Link
            key={each}
            href={`/agents/${agent.id}/${each}`}
            aria-current={each === tab ? 'page' : undefined}
          >
            {t.tabs[each]}
          </Link>
        ))}
      </nav>
      {tab === 'members' && <Members agent={agent} />}
      {tab === 'provider' && <ProviderForm agentId={agent.id} />}
      {tab === 'deliveries' && <Deliveries agentId={agent.id} />}
      {tab === 'settings' && <Settings agent={agent} />}
      {tab === 'settings' && <PolicyForm agentId={agent.id} />}
    </>
  );
}

function Settings({ agent }: { readonly agent: Agent }) {
  const [, navigate] = useLocation();
  const draft = useDraft({ name: agent.name, timeout_text: agent.timeout_text ?? '' });
  const params = { agent_id: agent.id };
  const submit = async (): Promise<void> => {
    const { name, timeout_text } = valuesOf(draft);
    await ask('PATCH /api/agents/{agent_id}', { params, body: { name, timeout_text: timeout_text || null } });
    tell(texts.saved);
  };
  const makeDefault = () => ask('POST /api/agents/{agent_id}/set-default', { params });
  const remove = async (): Promise<void> => {
    await ask('DELETE /api/agents/{agent_id}', { params });
    navigate('/agents');
  };
  return (
    <section class="card narrow">
      <Form submit={submit} action={texts.save}>
        <Field label={texts.name} of={draft.name} required maxLength={80} />
        <Area label={t.timeoutText} hint={t.timeoutHint} of={draft.timeout_text} rows={2} maxLength={1_000} />
      </Form>
      <div class="row">
        {!agent.is_default && (
          <Action run={makeDefault} done={texts.saved}>
            {t.makeDefault}
          </Action>
        )}
        {!agent.is_default && (
          <Confirm
            class="quietly"
            action={texts.remove}
            question={t.removeQuestion(agent.name)}
            run={remove}
          />
        )}
      </div>
    </section>
  );
}
