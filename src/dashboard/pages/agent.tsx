import { Link, useLocation } from 'wouter-preact';
import type { Agent } from '../api/answers.ts';
import { Talk } from '../call/talk.ts';
import { Action } from '../parts/action.tsx';
import { Empty, PageHead, Read } from '../parts/layout.tsx';
import { Badge } from '../parts/state.tsx';
import { Deliveries } from './agent/deliveries.tsx';
import { Members } from './agent/members.tsx';
import { ProviderForm } from './agent/provider-form.tsx';
import { Settings } from './agent/settings.tsx';
import { t } from './agents.texts.ts';

const TABS = ['members', 'provider', 'deliveries', 'settings'] as const;

export function AgentPage({ agentId, tab }: { readonly agentId: string; readonly tab: string }) {
  return (
    <Read from="GET /api/agents">
      {(data) => {
        const agent = data.agents.find(({ id }) => id === agentId);
        return agent ? <Whole agent={agent} tab={tab} /> : <Empty>{t.unknown}</Empty>;
      }}
    </Read>
  );
}

function Whole({ agent, tab }: { readonly agent: Agent; readonly tab: string }) {
  const [, navigate] = useLocation();
  const call = async (): Promise<void> => navigate(`/calls/${(await Talk.begin(agent)).callId}`);
  return (
    <>
      <PageHead title={agent.name} back="/agents">
        {agent.is_default && <Badge>{t.isDefault}</Badge>}
        <Action class="primary" run={call} name={t.talk} />
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
    </>
  );
}
