import { useSearchParams } from 'wouter-preact';
import { texts } from '../../texts.ts';

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
          {texts.platformPages.connected(title)}
        </p>
      )}
      {code !== undefined && (
        <p class="banner bad" role="alert">
          {texts.nextcloud.failures[code] ?? texts.nextcloud.failed}
        </p>
      )}
    </>
  );
}
