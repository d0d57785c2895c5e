import { assignedAt } from './assignments.ts'
import {
  ansibleVaultAt,
  jsonWebKeyAt,
  kubernetesSecretAt,
  passwordHashAt,
  pgpassAt,
  privateKeyAt,
  puttyKeyAt,
  recoveryAt,
  schemeAt,
} from './blocks.ts'
import { dsnAt, hereStringAt, optionAt, PHRASE_STEMS, phraseAt } from './commands.ts'
import type { Found } from './found.ts'
import { NAME_STEMS } from './names.ts'
import type { View } from './normalise.ts'
import { scanForms } from './scan-forms.ts'
import { TriggerSearch } from './trigger-search.ts'
import { urlAt } from './urls.ts'
import { isDistinct, isPlaceholder, isSecretLike } from './values.ts'

/** What begins something that only its context makes a secret. */
const triggers = new TriggerSearch([
  '://',
  '----+ ?BEGIN',
  ...['2[abxy]', '[1567y]', 'gy', 'apr1', 'sha1', 'md5', 'argon2\\w*', 'scrypt', 'pbkdf2[\\w-]*', '[PH]'].flatMap(
    (name) => firstOf(name).map((begin) => `\\$${begin}\\$`),
  ),
  '\\$ANSIBLE_VAULT',
  'pbkdf2_sha',
  'bcrypt_sha',
  'argon2\\$',
  'scrypt\\$',
  '\\{SHA',
  '\\{SSHA',
  '\\{SMD5',
  '\\{CRYPT',
  '\\{PBKDF2',
  '\\{ARGON2',
  'bearer',
  'basic ',
  ...[...'puawktbcxns'].map((letter) => `[ \\t]-${letter}`),
  '[ \\t]--user',
  '[ \\t]--proxy-user',
  ':\\d\\d\\d{2,3}:',
  ':\\*:',
  '<<<',
  '@tcp\\(',
  '@unix\\(',
  'kind["\']?:\\s?["\']?Secret\\b',
  '"kty"',
  ...PHRASE_STEMS,
  ...NAME_STEMS,
])

/** A pattern that begins with a class of characters as several that do not. */
function firstOf(pattern: string): string[] {
  const [, before, set, after] = /^(\d?)\[(\w+)\](.*)$/.exec(pattern) ?? []
  return set ? [...set].map((first) => before + first + after) : [pattern]
}

/** Secrets that only their context reveals. */
export function scanContexts(view: View, found: Found[]): void {
  triggers.each(view.text, (index, trigger) => visit(view, index, trigger, found))
}

/** Everything that is to be masked, in no order; parts may overlap. */
export function scan(view: View): Found[] {
  const found: Found[] = []
  scanForms(view.text, found)
  scanContexts(view, found)
  return found
}

/** Returns where to go on searching. */
function visit(view: View, index: number, trigger: string, found: Found[]): number {
  const { text } = view
  const push = (one: Found | undefined): number => {
    if (one) found.push(one)
    return one?.end ?? 0
  }
  if (trigger === '://') {
    urlAt(text, index, found)
    return 0
  }
  const first = trigger[0]!
  if (first === '-') return push(privateKeyAt(text, index))
  if (first === '$')
    return push(trigger === '$ANSIBLE_VAULT' ? ansibleVaultAt(text, index) : passwordHashAt(text, index))
  if (first === '{') return push(passwordHashAt(text, index))
  if (first === ' ' || first === '\t') return push(optionAt(text, index))
  if (first === ':') return push(pgpassAt(text, index))
  if (first === '<') return push(hereStringAt(text, index))
  if (first === '@') return push(dsnAt(text, index))
  if (first === '"') {
    jsonWebKeyAt(text, index, found)
    return 0
  }
  const lower = trigger.toLowerCase()
  if (lower.startsWith('kind')) {
    kubernetesSecretAt(text, index, found)
    return 0
  }
  if (lower === 'bearer' || lower === 'basic ') return push(schemeAt(text, index))
  if (/\$$|_sha$/.test(lower)) {
    const hash = passwordHashAt(text, index)
    if (hash) return push(hash)
  }
  const phrase = phrases.has(lower) ? phraseAt(text, index) : undefined
  if (phrase) return push(phrase)
  if (lower === 'private') {
    const putty = puttyKeyAt(text, index)
    if (putty) return push(putty)
  }
  if (
    first === 'm' || first === 's'
      ? lower === 'mnemonic' || lower === 'seed'
      : lower.startsWith('recovery') || lower.startsWith('backup')
  ) {
    const recovery = recoveryAt(text, index)
    if (recovery) return push(recovery)
  }
  const { found: assigned, next, isName } = assignedAt(view, index, trigger.replace(/[=:\s]+$/, ''))
  if (assigned) found.push(assigned)
  else if (isName && text[index - 1] === ' ') push(namedAfterwards(text, index))
  return next
}

const phrases: ReadonlySet<string> = new Set(PHRASE_STEMS.map((stem) => stem.replace(/\\/g, '')))

const AFTERWARDS =
  /(?:^|[\s"'`(])([^\s"'`()]{6,200})["'`]?[ \t](?:as|is)[ \t](?:(?:the|my|our|a|its|your)[ \t])?(?:[\w-]{1,20}[ \t]){0,2}$/

/** `hunter2x as the password`. */
function namedAfterwards(text: string, index: number): Found | undefined {
  const before = text.slice(Math.max(0, index - 120), index)
  const match = / (?:as|is) /.test(before) ? AFTERWARDS.exec(before) : null
  if (!match || !isSecretLike(match[1]!) || isPlaceholder(match[1]!) || /[()=]/.test(match[1]!)) return undefined
  const start = index - before.length + match.index + match[0].indexOf(match[1]!)
  return { start, end: start + match[1]!.length, kind: 'secret', learn: isDistinct(match[1]!) }
}
