import { useEffect, useRef, useState } from 'preact/hooks';
import { Link, Redirect, Route, Switch, useLocation } from 'wouter-preact';
import { feedState } from '../api/feed.ts';
import { BASE_PATH, isOffline } from '../api/request.ts';
import { talk } from '../call/talk.ts';
import { AccountPage } from '../pages/account.tsx';
import { AgentPage, AgentsPage } from '../pages/agents.tsx';
import { CallPage } from '../pages/call.tsx';
import { t as calls } from '../pages/calls.texts.ts';
import { CallsPage } from '../pages/calls.tsx';
import { HomePage } from '../pages/home.tsx';
import { InboxPage } from '../pages/inbox.tsx';
import { KeysPage } from '../pages/keys.tsx';
import { OperatorPage } from '../pages/operator.tsx';
import { PlatformPage } from '../pages/platform.tsx';
import { PlatformsPage } from '../pages/platforms.tsx';
import { VoicePage } from '../pages/voice.tsx';
import { Action, Toasts } from '../parts/button.tsx';
import { LiveLevel } from '../parts/value.tsx';
import { texts } from '../texts.ts';
import { account } from './account.ts';
import { Icon } from './icons.tsx';
import { t } from './shell.texts.ts';

/** By their paths, which are the names of their icons and titles too. */
const PAGES = {
  home: HomePage,
  calls: CallsPage,
  inbox: InboxPage,
  platforms: PlatformsPage,
  agents: AgentsPage,
  voice: VoicePage,
  keys: KeysPage,
  account: AccountPage,
  operator: OperatorPage,
};
const NAMES = Object.keys(PAGES) as (keyof typeof PAGES)[];

function pathOf(name: keyof typeof PAGES): string {
  return name === 'home' ? '/' : `/${name}`;
}

/** Navigation, the page, and what is wrong with the connection to the gateway. */
export function Shell({ onLeave }: { onLeave(): Promise<void> }) {
  const [path] = useLocation();
  const [isOpen, setOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
  const section = path.split('/')[1] || 'home';
  const title = texts.pages[NAMES.find((name) => name === section) ?? 'home'];

  useEffect(() => {
    document.title = `${title} · ${texts.product}`;
    setOpen(false);
    main.current?.scrollTo(0, 0);
  }, [path, title]);

  return (
    <div class={`shell${isOpen ? ' open' : ''}`}>
      <a class="skip" href="#main">
        {t.skip}
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
          <span class="hidden">{t.menu}</span>
        </button>
        <span class="brand">{texts.product}</span>
      </header>
      <nav id="nav" aria-label={t.label}>
        <p class="brand">{texts.product}</p>
        <ul>
          {NAMES.map((name) => (
            <li key={name}>
              <Link href={pathOf(name)} aria-current={name === section ? 'page' : undefined}>
                <Icon name={name} />
                {texts.pages[name]}
              </Link>
            </li>
          ))}
        </ul>
        <div class="whoami">
          <span class="cut">{account.value?.email ?? account.value?.name}</span>
          <a href={`${BASE_PATH}/docs`}>{t.docs}</a>
          <Action class="link" name={t.leave} run={onLeave} />
        </div>
      </nav>
      <main id="main" ref={main} tabIndex={-1}>
        <ConnectionNote />
        <TalkBar />
        <Switch>
          {NAMES.map((name) => (
            <Route key={name} path={pathOf(name)} component={PAGES[name]} />
          ))}
          <Route path="/calls/:id">{({ id }) => <CallPage key={id} callId={id} />}</Route>
          <Route path="/inbox/:id" component={InboxPage} />
          <Route path="/platforms/:name">{({ name }) => <PlatformPage key={name} name={name} />}</Route>
          <Route path="/agents/:id/:tab?">
            {({ id, tab }) => <AgentPage key={id} agentId={id} tab={tab ?? 'members'} />}
          </Route>
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
      {isLost && <p class="banner warn">{texts.reconnecting}</p>}
    </div>
  );
}

/** The call between this browser and an agent, on whatever page. */
export function TalkBar() {
  const current = talk.value;
  if (current === null) return null;
  const { agentName, callId, isMuted, level } = current;
  const mute = (): void => {
    isMuted.value = !isMuted.value;
  };
  return (
    <section class="card row talk" aria-label={t.talk}>
      <Link href={`/calls/${callId}`} class="cut">
        {t.with(agentName)}
      </Link>
      <LiveLevel label={calls.level} of={level} />
      <Action name={t.mute} isPressed={isMuted.value} run={mute} />
      <Action class="danger" name={calls.hangUp} run={() => current.hangUp()} />
    </section>
  );
}
