import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { ask } from '../api/request.ts';
import { useAnswer } from '../api/use-answer.ts';
import { Dialog } from '../parts/action.tsx';
import { Badge } from '../parts/badge.tsx';
import { TextForm } from '../parts/form.tsx';
import { Loaded, PageHead } from '../parts/layout.tsx';
import { texts } from '../texts.ts';

const t = texts.agents;

export function AgentsPage() {
  const agents = useAnswer('GET /api/agents');
  const [isCreating, setCreating] = useState(false);
  return (
    <>
      <PageHead title={texts.nav.agents}>
        <button type="button" class="primary" onClick={() => setCreating(true)}>
          {t.create}
        </button>
      </PageHead>
      {isCreating && <Create onClose={() => setCreating(false)} />}
      <Loaded answer={agents}>
        {(data) => (
          <ul class="cards">
            {data.agents.map((agent) => (
              <li key={agent.id} class="card">
                <div class="row spread">
                  <h2 class="cut">
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
      </Loaded>
    </>
  );
}

function Create({ onClose }: { onClose(): void }) {
  const [, navigate] = useLocation();
  const create = async (name: string): Promise<void> => {
    const { id } = await ask('POST /api/agents', { body: { name } });
    navigate(`/agents/${id}`);
  };
  return (
    <Dialog title={t.create} onClose={onClose}>
      <TextForm action={t.create} label={texts.name} send={create} maxLength={80} />
    </Dialog>
  );
}
