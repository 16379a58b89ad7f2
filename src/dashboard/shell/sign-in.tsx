import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Answers } from '../api/answers.ts';
import { ask, BASE_PATH } from '../api/request.ts';
import { Action } from '../parts/button.tsx';
import type { Body } from '../parts/field.ts';
import { Form } from '../parts/form.tsx';
import { texts } from '../texts.ts';
import { currentPassword, newPassword, t } from './shell.texts.ts';

/** The card before the dashboard. */
function Gate({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  useEffect(() => {
    document.title = `${title} · ${texts.product}`;
  }, [title]);
  return (
    <main class="gate">
      <section class="card">
        <p class="brand">{texts.product}</p>
        <h1>{title}</h1>
        {children}
      </section>
    </main>
  );
}

const NEW = { email: t.email, password: newPassword(t.password) };
const KNOWN = { email: t.email, password: currentPassword(t.password) };

/** The first start: the operator gets an address and a password. */
export function Setup({ token, onDone }: { readonly token: string; onDone(): Promise<void> }) {
  const submit = async (body: Body): Promise<void> => {
    await ask('POST /auth/setup', { token, ...body });
    await onDone();
  };
  return (
    <Gate title={t.welcome}>
      <p>{t.explanation}</p>
      <Form fields={NEW} submit={submit} action={t.begin} />
    </Gate>
  );
}

/** Signs in or up. The page stays where it was, so that it shows afterwards what was asked for. */
export function SignIn({ onDone }: { onDone(): Promise<void> }) {
  const [isNew, setIsNew] = useState(false);
  const [options, setOptions] = useState<Answers['GET /auth/options']>();

  useEffect(() => {
    ask('GET /auth/options').then(setOptions, () => {});
  }, []);

  const submit = async (body: Body): Promise<void> => {
    if (isNew) await ask('POST /auth/signup', body);
    const { email, password } = body;
    await ask('POST /auth/login', { email, password });
    await onDone();
  };

  const { signup = 'closed', providers = [] } = options ?? {};
  const invited = signup === 'invite' ? { ...NEW, invite_code: t.inviteCode } : NEW;
  const title = isNew ? t.create : t.title;
  return (
    <Gate title={title}>
      <Form key={title} fields={isNew ? invited : KNOWN} submit={submit} action={title} />
      <SignInLinks of={providers} nameOf={t.continueWith} />
      <p class="row spread small">
        {signup !== 'closed' && (
          <Action class="link" name={isNew ? t.known : t.create} run={() => setIsNew(!isNew)} />
        )}
        <a href={`${BASE_PATH}/auth/reset-password`}>{t.forgotten}</a>
      </p>
    </Gate>
  );
}

interface SignInLinksProps {
  readonly of: readonly string[];
  nameOf(provider: string): string;
}

/** To the providers who know the person, and lead back. */
export function SignInLinks({ of, nameOf }: SignInLinksProps) {
  return of.map((name) => (
    <a key={name} class="button" href={`${BASE_PATH}/auth/oauth/${encodeURIComponent(name)}/start`}>
      {nameOf(name)}
    </a>
  ));
}
