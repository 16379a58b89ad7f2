import { useEffect, useState } from 'preact/hooks';
import { Router } from 'wouter-preact';
import { closeFeed, openFeed } from '../api/feed.ts';
import { type ApiError, ask, BASE_PATH, signedOut } from '../api/request.ts';
import { ErrorNote } from '../parts/layout.tsx';
import { loadAccount } from './account.ts';
import { Shell } from './shell.tsx';
import { Setup, SignIn } from './sign-in.tsx';

type Who = 'unknown' | 'nobody' | 'somebody';

const ROOT = `${BASE_PATH}/dashboard`;

/** The whole dashboard: the way in, or the pages for whoever is signed in. */
export function App() {
  const [who, setWho] = useState<Who>('unknown');
  const [error, setError] = useState<ApiError>();
  const [setupToken, setSetupToken] = useState(tokenInUrl);
  const refusals = signedOut.value;

  useEffect(() => {
    if (setupToken !== '') return;
    loadAccount().then(
      () => setWho('somebody'),
      (failure: ApiError) => (failure.status === 401 ? setWho('nobody') : setError(failure)),
    );
  }, [refusals]);

  useEffect(() => {
    if (who === 'somebody') openFeed();
    else closeFeed();
  }, [who]);

  const enter = async (): Promise<void> => {
    setSetupToken('');
    await loadAccount();
    setWho('somebody');
  };
  const leave = async (): Promise<void> => {
    await ask('POST /auth/logout');
    setWho('nobody');
  };

  if (setupToken !== '') return <Setup token={setupToken} onDone={enter} />;
  if (who === 'nobody') return <SignIn onDone={enter} />;
  if (who === 'unknown') return <div class="gate">{error && <ErrorNote error={error} />}</div>;
  return (
    <Router base={ROOT}>
      <Shell onLeave={leave} />
    </Router>
  );
}

/** The token of the link of the first start. It leaves the address bar at once. */
function tokenInUrl(): string {
  if (location.pathname !== `${ROOT}/setup`) return '';
  const token = location.hash.slice(1);
  history.replaceState(null, '', ROOT);
  return token;
}
