import { expect, it } from 'vitest';
import { TEST_FILES } from '../../../config/test-projects.ts';
import ci from '../../../config/vitest.config.ts';
import nightly from '../../../config/vitest.nightly.config.ts';

it('runs every test file in CI or at night, and in one kind only', () => {
  const runs = [...filesOf(ci), ...filesOf(nightly)].sort();

  expect(TEST_FILES.length).toBeGreaterThan(500);
  expect(runs).toEqual(TEST_FILES);
});

/** The files of the projects that run them as they are, not again in another setting. */
function filesOf({ test }: typeof ci): string[] {
  return test!.projects!.flatMap((project) => {
    if (typeof project !== 'object' || !('test' in project)) throw new Error('not an inline project');
    const { include = [], env = {} } = project.test!;
    return Object.keys(env).some((name) => /^(SVC_|CONFORMANCE$)/.test(name)) ? [] : include;
  });
}
