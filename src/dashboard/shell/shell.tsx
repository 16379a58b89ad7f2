import { useEffect, useRef, useState } from 'preact/hooks';
import { Link, Redirect, Route, Switch, useLocation } from 'wouter-preact';
import { feedState } from '../api/feed.ts';
import { BASE_PATH, isOffline } from '../api/request.ts';
import { AccountPage } from '../pages/account.tsx';
import { AgentPage } from '../pages/agent.tsx';
import { AgentsPage } from '../pages/agents.tsx';
import { CallPage } from '../pages/call.tsx';
import { CallsPage } from '../pages/calls.tsx';
import { HomePage } from '../pages/home.tsx';
import { InboxPage } from '../pages/inbox.tsx';
import { KeysPage } from '../pages/keys.tsx';
import { OperatorPage } from '../pages/operator.tsx';
import { PlatformPage } from '../pages/platform.tsx';
import { PlatformsPage } from '../pages/platforms.tsx';
import { VoicePage } from '../pages/voice.tsx';
import { Toasts } from '../parts/action.tsx';
import { texts } from '../texts.ts';
import { account } from './account.ts';
import { Icon, type IconName } from './icons.tsx';
import { TalkBar } from './talk-bar.tsx';

const PAGES: readonly (readonly [path: string, icon: IconName, title: string])[] = [
  ['/', 'home', texts.nav.home],
  ['/calls', 'calls', texts.nav.calls],
  ['/inbox', 'inbox', texts.nav.inbox],
  ['/platforms', 'platforms', texts.nav.platforms],
  ['/agents', 'agents', texts.nav.agents],
  ['/voice', 'voice', texts.nav.voice],
  ['/keys', 'keys', texts.nav.keys],
  ['/account', 'account', texts.nav.account],
  ['/operator', 'operator', texts.nav.operator],
];

/** Navigation, the page, and what is wrong with the connection to the gateway. */
export function Shell({ onLeave }: { onLeave(): Promise<void> }) {
  const [path] = useLocation();
  const [isOpen, setOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
  const section = `/${path.split('/')[1] ?? ''}`;
  const title = PAGES.find(([each]) => each === section)?.[2] ?? '';

  useEffect(() => {
    document.title = `${title} · ${texts.product}`;
    setOpen(false);
    main.current?.scrollTo(0, 0);
  }, [path, title]);

  return (
    <div class={`shell${isOpen ? ' open' : ''}`}>
      <a class="skip" href="#main">
        {texts.nav.skip}
      </a>
      <header class="topbar">
        <button
          type="button"
          class="menu"
          aria-expanded={isOpen}
          aria-controls="nav"
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name="menu" />
          <span class="hidden">{texts.nav.menu}</span>
        </button>
        <span class="brand">{texts.product}</span>
      </header>
      <nav id="nav" aria-label={texts.nav.label}>
        <p class="brand">{texts.product}</p>
        <ul>
          {PAGES.map(([to, icon, name]) => (
            <li key={to}>
              <Link href={to} aria-current={to === section ? 'page' : undefined}>
                <Icon name={icon} />
                {name}
              </Link>
            </li>
          ))}
        </ul>
        <div class="whoami">
          <span class="cut">{account.value?.email ?? account.value?.name}</span>
          <a href={`${BASE_PATH}/docs`}>{texts.nav.docs}</a>
          <button type="button" class="link" onClick={() => void onLeave()}>
            {texts.nav.leave}
          </button>
        </div>
      </nav>
      <main id="main" ref={main} tabIndex={-1}>
        <ConnectionNote />
        <TalkBar />
        <Switch>
          <Route path="/" component={HomePage} />
          <Route path="/calls" component={CallsPage} />
          <Route path="/calls/:id">{({ id }) => <CallPage key={id} callId={id} />}</Route>
          <Route path="/inbox" component={InboxPage} />
          <Route path="/inbox/:id" component={InboxPage} />
          <Route path="/platforms" component={PlatformsPage} />
          <Route path="/platforms/:name">{({ name }) => <PlatformPage key={name} name={name} />}</Route>
          <Route path="/agents" component={AgentsPage} />
          <Route path="/agents/:id/:tab?">
            {({ id, tab }) => <AgentPage key={id} agentId={id} tab={tab ?? 'members'} />}
          </Route>
          <Route path="/voice" component={VoicePage} />
          <Route path="/keys" component={KeysPage} />
          <Route path="/account" component={AccountPage} />
          <Route path="/operator" component={OperatorPage} />
          <Route>
            <Redirect to="/" replace />
          </Route>
        </Switch>
      </main>
      <Toasts />
    </div>
  );
}

/** Says that what is shown may be old. */
function ConnectionNote() {
  const isLost = isOffline.value || feedState.value === 'lost';
  return (
    <div role="status" class="connection">
      {isLost && <p class="banner warn">{texts.errors.reconnecting}</p>}
    </div>
  );
}
