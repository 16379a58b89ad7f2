// Biome lints everything else. ESLint is here for one family of rules that Biome does not have: patterns whose time
// grows faster than their input.
import parser from '@typescript-eslint/parser';
import regexp from 'eslint-plugin-regexp';

export default [
  {
    files: ['src/**/*.ts', 'src/**/*.mjs', 'src/**/*.cjs'],
    languageOptions: { parser },
    plugins: { regexp },
    linterOptions: { reportUnusedDisableDirectives: 'off' },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': [
        'error',
        { report: 'potential', ignorePartial: false, ignoreSticky: false },
      ],
    },
  },
];
