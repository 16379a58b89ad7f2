import { Link, useSearchParams } from 'wouter-preact';
import type { Platform } from '../api/answers.ts';
import { PageHead, Read } from '../parts/layout.tsx';
import { State } from '../parts/value.tsx';
import { texts } from '../texts.ts';
import { t } from './platforms.texts.ts';

/** Where an account of a platform comes back to after its sign-in there. */
export function PlatformsPage() {
  return (
    <>
      <PageHead title={texts.pages.platforms} />
      <Returned />
      <Read from="GET /api/platforms" on={['connection_']} everyMs={15_000}>
        {(data) => (
          <ul class="cards">
            {data.platforms.map((platform) => (
              <PlatformCard key={platform.platform} {...platform} />
            ))}
          </ul>
        )}
      </Read>
    </>
  );
}

function PlatformCard({ platform, status, setup, accounts, ways }: Platform) {
  return (
    <li class="card">
      <div class="row spread">
        <h2>
          <Link href={`/platforms/${platform}`} class="whole">
            {texts.platforms[platform]}
          </Link>
        </h2>
        <State of={status} />
      </div>
      {accounts.length === 0 && <p class="quiet small">{setup}</p>}
      <ul class="small">
        {accounts.map(({ id, label }) => (
          <li key={id} class="cut">
            {label}
          </li>
        ))}
      </ul>
      {ways.length > 0 && <p class="quiet small">{ways.map(({ name }) => name).join(' · ')}</p>}
    </li>
  );
}

const NEXTCLOUD_FAILURE = /^nctalk_(\w{1,64})$/;

/** What a platform says that sends a person back: `?connected=…`, `?error=nctalk_<code>`, or `?nctalk=connected` of old addons. */
export function Returned() {
  const [query] = useSearchParams();
  const connected = query.get('connected') ?? (query.get('nctalk') === 'connected' ? 'nctalk' : '');
  const title = texts.platforms[connected];
  const code = NEXTCLOUD_FAILURE.exec(query.get('error') ?? '')?.[1];
  return (
    <>
      {title !== undefined && (
        <p class="banner good" role="status">
          {t.connected(title)}
        </p>
      )}
      {code !== undefined && (
        <p class="banner bad" role="alert">
          {t.nextcloudFailures[code] ?? t.nextcloudFailed}
        </p>
      )}
    </>
  );
}
