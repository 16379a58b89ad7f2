import { Link, useLocation } from 'wouter-preact';
import type { Agent } from '../api/answers.ts';
import { ask } from '../api/request.ts';
import { Talk } from '../call/talk.ts';
import { Action, DialogButton } from '../parts/button.tsx';
import { TextForm } from '../parts/form.tsx';
import { Empty, PageHead, Read } from '../parts/layout.tsx';
import { Badge } from '../parts/value.tsx';
import { texts } from '../texts.ts';
import { Deliveries } from './agent/deliveries.tsx';
import { Members } from './agent/members.tsx';
import { ProviderForm } from './agent/provider-form.tsx';
import { Settings } from './agent/settings.tsx';
import { t } from './agents.texts.ts';

export function AgentsPage() {
  const [, navigate] = useLocation();
  const create = async (name: string): Promise<void> => {
    const { id } = await ask('POST /api/agents', { name });
    navigate(`/agents/${id}`);
  };
  return (
    <>
      <PageHead title={texts.pages.agents}>
        <DialogButton title={t.create} class="primary">
          {() => <TextForm action={t.create} label={texts.name} send={create} maxLength={80} />}
        </DialogButton>
      </PageHead>
      <Read from="GET /api/agents">
        {(data) => (
          <ul class="cards">
            {data.agents.map((agent) => (
              <li key={agent.id} class="card">
                <div class="row spread">
                  <h2 class="cut" dir="auto">
                    <Link href={`/agents/${agent.id}`} class="whole">
                      {agent.name}
                    </Link>
                  </h2>
                  {agent.is_default && <Badge>{t.isDefault}</Badge>}
                </div>
                <p class="quiet small">
                  {agent.provider === null ? t.ownRuntime : t.drivenBy(agent.provider)}
                  <br />
                  {t.counts(agent.accounts.length, agent.keys.length, agent.oauth_clients.length)}
                </p>
              </li>
            ))}
          </ul>
        )}
      </Read>
    </>
  );
}

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
