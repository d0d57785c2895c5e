import type { Found } from './found.ts'

/** Folders beside the homes that do not belong to a person. */
const SHARED = '(?:linuxbrew|Shared|Public|Default|All Users|runner|node|app)(?![\\w.-])'
const NAME = '[^\\s/\\\\:;,"\'`<>|()[\\]{}*?!&#$%=~@]{1,64}'

/** Homes become `~`. Each pattern is linear: a repetition is bounded. */
const homes: readonly RegExp[] = [
  // Backslashes come doubled in JSON and code. A blank is part of the name only when a backslash follows.
  new RegExp(
    `(?<![A-Za-z])[A-Za-z]:(?:\\\\{1,4}|/)(?:Users|Documents and Settings)(?:\\\\{1,4}|/)(?!${SHARED})` +
      `(?:[^\\s\\\\/:;,"'\`<>|()*?~]{1,32}(?: [^\\s\\\\/:;,"'\`<>|()*?~]{1,32}){1,2}(?=\\\\)|[^\\s\\\\/:;,"'\`<>|()*?~]{1,64})`,
    'g',
  ),
  // Not in the middle of a path: src/pages/home/index.ts is no home. WSL and Git Bash have /mnt/c/Users and /c/Users;
  // others /export/home, /var/home, /usr/home, /data/home.
  new RegExp(
    `(?<![\\w.~-])(?:(?:/mnt)?/[a-z](?=/Users/)|/(?:export|var|usr|data|mnt|nfs|net|srv|opt|vol|private|System/Volumes/Data|Volumes/[\\w.-]{1,40}|mnt/[\\w.-]{1,40})(?=/(?:home|homes|Users)/))?/(?:home|homes|Users)/(?!${SHARED})${NAME}`,
    'g',
  ),
  /(?<![\w.~/:)\]}-])\/(?:var\/)?root(?=\/[\w.~-]|[\s"'`:;,)\]]|$)(?!\/?>)/g,
  // A path made into one folder name, as some agents file their sessions: -home-ann-src-shop.
  /(?<![\w.~-])-(?:(?:export-|var-|usr-)?home|Users)-[A-Za-z0-9_]{1,64}(?=-)|(?<![\w.~-])-root(?=-[A-Za-z])/g,
]
const HOME_HINT = /home|Users|Documents and|root/

/** The owner and the group of a file in `ls -l`, the user of `id`. */
const LISTED =
  /^[ \t|>+]{0,8}[bcdlps-][rwxsStT-]{9}[.+@]?[ \t]{1,6}\d{1,6}[ \t]{1,8}(\S{1,32})[ \t]{1,12}(\S{1,64})(?=[ \t]{1,16}\d)/gm
const NUMBERED = /(?:\b(?:uid|gid|groups)=|,)\d{1,10}\(([\w.-]{1,32})\)/g
/** Accounts of systems and services. */
const SYSTEM =
  /^(?:root|daemon|bin|sys|adm|staff|wheel|admin|users|nobody|nogroup|node|app|www-data|nginx|postgres|mysql|redis|docker|sudo|systemd-\w+|_\w+|everyone|Administrators|None|\d+|user|git|runner|ubuntu|ec2-user|vscode|coder)$/

/** Folders that a text says are somebody's home: `HOME=/var/lib/jenkins`, a line of passwd. */
const STATED =
  /(?:^|[\s"'{,;])(?:HOME|USERPROFILE)["']?[=:][ \t]{0,2}["']?(\/[\w./+-]{3,200}|[A-Za-z]:\\[^\s"';]{3,200})|^[\w.-]{1,32}:[x*!]?:\d{3,10}:\d{1,10}:[^:\n]{0,100}:(\/[\w./+-]{3,200}):/gm

/** Homes that a text names. System folders are not somebody's. */
export function statedHomes(raw: string): string[] {
  if (!/HOME|USERPROFILE|:x:/.test(raw)) return []
  return [...raw.matchAll(STATED)]
    .map((match) => (match[1] ?? match[2]!).replace(/[/\\]+$/, ''))
    .filter(
      (home) =>
        !/^\/(?:(?:usr|bin|sbin|dev|etc|tmp|run|proc|opt|srv|nonexistent)(?:\/.*)?|var(?:\/(?:lib|run|log|cache|spool|www|mail|backups)?)?)$/.test(
          home,
        ),
    )
}

/** Not the user of a git remote, an address that nobody reads, or an image in two sizes (icon@2x.png). */
const EMAIL =
  /(?!git@|no-?reply@)[A-Za-z0-9_%+][A-Za-z0-9._%+-]{0,63}@(?!\dx\.)(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9_-])/y
const LOCAL = /[A-Za-z0-9._%+-]/

/** Personal data in a raw text: homes, including those given, and e-mail addresses. */
export function scanPersons(raw: string, ownHomes: readonly string[], found: Found[]): void {
  if (HOME_HINT.test(raw)) {
    for (const pattern of homes) {
      for (const match of raw.matchAll(pattern)) {
        found.push({ start: match.index, end: match.index + match[0].length, kind: 'home-path', mask: '~' })
      }
    }
  }
  for (const pattern of [LISTED, NUMBERED]) {
    if (pattern === LISTED ? !raw.includes('rw') : !raw.includes('id=')) continue
    for (const match of raw.matchAll(pattern)) pushNames(match, found)
  }
  for (const home of ownHomes) {
    for (let at = raw.indexOf(home); at >= 0; at = raw.indexOf(home, at + home.length)) {
      const end = at + home.length
      if (/[\w.~-]/.test(raw[at - 1] ?? '') || /[\w.-]/.test(raw[end] ?? '')) continue
      found.push({ start: at, end, kind: 'home-path', mask: '~' })
    }
  }
  for (let at = raw.indexOf('@'); at >= 0; at = raw.indexOf('@', at + 1)) {
    let start = at
    while (start > 0 && at - start <= 64 && LOCAL.test(raw[start - 1]!)) start--
    // An address begins with a letter or digit; up to 64 characters before the @.
    if (start === at || at - start > 64) continue
    while (start < at && /[.-]/.test(raw[start]!)) start++
    // The backslash of an escape: `\nann@example.com`.
    if (raw[start - 1] === '\\' && /[nrt]/.test(raw[start]!)) start++
    EMAIL.lastIndex = start
    if (start < at && EMAIL.test(raw)) found.push({ start, end: EMAIL.lastIndex, kind: 'email' })
  }
}

/** The groups of the match, which are the names of accounts. */
function pushNames(match: RegExpExecArray, found: Found[]): void {
  let from = match[0].length
  for (const name of match.slice(1).reverse()) {
    from = match[0].lastIndexOf(name, from - name.length)
    if (SYSTEM.test(name)) continue
    const start = match.index + from
    found.push({ start, end: start + name.length, kind: 'user-name', mask: 'user' })
  }
}
