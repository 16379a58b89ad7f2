import { Link } from 'wouter-preact';
import type { Platform } from '../api/answers.ts';
import { useAnswer } from '../api/use-answer.ts';
import { StatusBadge } from '../parts/badge.tsx';
import { Loaded, PageHead } from '../parts/layout.tsx';
import { texts } from '../texts.ts';
import { Returned } from './platform/connecting.tsx';

/** Where an account of a platform comes back to after its sign-in there. */
export function PlatformsPage() {
  const platforms = useAnswer('GET /api/platforms', {}, { on: ['connection_'], everyMs: 15_000 });
  return (
    <>
      <PageHead title={texts.nav.platforms} />
      <Returned />
      <Loaded answer={platforms}>
        {(data) => (
          <ul class="cards">
            {data.platforms.map((platform) => (
              <Card key={platform.platform} {...platform} />
            ))}
          </ul>
        )}
      </Loaded>
    </>
  );
}

function Card({ platform, status, setup, accounts, ways }: Platform) {
  return (
    <li class="card">
      <div class="row spread">
        <h2>
          <Link href={`/platforms/${platform}`} class="whole">
            {texts.platforms[platform]}
          </Link>
        </h2>
        <StatusBadge status={status} />
      </div>
      {accounts.length === 0 ? (
        <p class="quiet small">{setup}</p>
      ) : (
        <ul class="small">
          {accounts.map(({ id, label }) => (
            <li key={id} class="cut">
              {label}
            </li>
          ))}
        </ul>
      )}
      {ways.length > 0 && <p class="quiet small">{ways.map(({ name }) => name).join(' · ')}</p>}
    </li>
  );
}
