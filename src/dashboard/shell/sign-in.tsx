import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Answers } from '../api/answers.ts';
import { ask, BASE_PATH } from '../api/request.ts';
import { useDraft, valuesOf } from '../parts/draft.ts';
import { Field, Form, PasswordField } from '../parts/form.tsx';
import { texts } from '../texts.ts';

/** The card before the dashboard. */
export function Gate({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
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

const { setup, signIn } = texts;

/** The first start: the operator gets an address and a password. */
export function Setup({ token, onDone }: { readonly token: string; onDone(): Promise<void> }) {
  const draft = useDraft({ email: '', password: '' });
  const submit = async (): Promise<void> => {
    await ask('POST /auth/setup', { body: { token, ...valuesOf(draft) } });
    await onDone();
  };
  return (
    <Gate title={setup.title}>
      <p>{setup.explanation}</p>
      <Form submit={submit} action={setup.action}>
        <Field label={texts.signIn.email} type="email" of={draft.email} required autocomplete="username" />
        <PasswordField label={texts.signIn.password} isNew of={draft.password} />
      </Form>
    </Gate>
  );
}

/** Signs in or up. The page stays where it was, so that it shows afterwards what was asked for. */
export function SignIn({ onDone }: { onDone(): Promise<void> }) {
  const draft = useDraft({ email: '', password: '', invite_code: '' });
  const [isNew, setIsNew] = useState(false);
  const [options, setOptions] = useState<Answers['GET /auth/options']>();

  useEffect(() => {
    ask('GET /auth/options').then(setOptions, () => {});
  }, []);

  const submit = async (): Promise<void> => {
    const { invite_code, ...login } = valuesOf(draft);
    const invited = invite_code === '' ? login : { ...login, invite_code };
    if (isNew) await ask('POST /auth/signup', { body: invited });
    await ask('POST /auth/login', { body: login });
    await onDone();
  };

  const { signup = 'closed', providers = [] } = options ?? {};
  return (
    <Gate title={isNew ? signIn.create : signIn.title}>
      <Form submit={submit} action={isNew ? signIn.create : signIn.title}>
        <Field label={signIn.email} type="email" of={draft.email} required autocomplete="username" />
        <PasswordField label={signIn.password} isNew={isNew} of={draft.password} />
        {isNew && signup === 'invite' && (
          <Field label={signIn.inviteCode} of={draft.invite_code} required autocomplete="off" />
        )}
      </Form>
      {providers.map((name) => (
        <a key={name} class="button" href={`${BASE_PATH}/auth/oauth/${encodeURIComponent(name)}/start`}>
          {signIn.continueWith(name)}
        </a>
      ))}
      <p class="row spread small">
        {signup !== 'closed' && (
          <button type="button" class="link" onClick={() => setIsNew(!isNew)}>
            {isNew ? signIn.known : signIn.create}
          </button>
        )}
        <a href={`${BASE_PATH}/auth/reset-password`}>{signIn.forgotten}</a>
      </p>
    </Gate>
  );
}
