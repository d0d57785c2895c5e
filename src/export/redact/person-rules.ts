import type { Rule } from './rule.ts'

/** Folders beside the homes that do not belong to a person. */
const SHARED = '(?:linuxbrew|Shared|Public|Default|All Users)(?![\\w.-])'

/** Personal data: home folders become `~`, e-mail addresses a placeholder. */
export const personRules: readonly Rule[] = [
  {
    id: 'home-path',
    // Backslashes come doubled in JSON and code. A blank is part of the name only when a backslash follows.
    pattern: new RegExp(
      `(?<![A-Za-z])[A-Za-z]:(?:\\\\{1,4}|/)Users(?:\\\\{1,4}|/)(?!${SHARED})` +
        `(?:[^\\s\\\\/:;,"'\`<>|()*?~]{1,32}(?: [^\\s\\\\/:;,"'\`<>|()*?~]{1,32}){1,2}(?=\\\\)|[^\\s\\\\/:;,"'\`<>|()*?~]{1,64})`,
      'g',
    ),
    mask: '~',
  },
  {
    id: 'home-path',
    // Not in the middle of a path: src/pages/home/index.ts is no home. WSL and Git Bash have /mnt/c/Users and /c/Users.
    pattern: new RegExp(
      `(?<![\\w.~-])(?:(?:/mnt)?/[a-z](?=/Users/))?/(?:home|Users)/(?!${SHARED})[^\\s/\\\\:;,"'\`<>|()[\\]{}*?!&#$%=~]{1,64}`,
      'g',
    ),
    mask: '~',
  },
  {
    id: 'home-path',
    // A path made into one folder name, as some agents file their sessions: -home-ann-src-shop.
    pattern: /(?<![\w.~-])-(?:home|Users)-[A-Za-z0-9_]{1,64}(?=-)/g,
    mask: '~',
  },
  {
    id: 'email',
    hint: '@',
    // Not the user of a git remote, an address that nobody reads, or an image in two sizes (icon@2x.png).
    pattern:
      /(?<![A-Za-z0-9._%+-])(?!git@|no-?reply@)[A-Za-z0-9_%+][A-Za-z0-9._%+-]{0,63}@(?!\dx\.)(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9_-])/g,
  },
]
