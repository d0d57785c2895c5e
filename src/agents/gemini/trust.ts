import { realpathSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Io } from '../../platform/io.ts'
import { isWithin } from '../../platform/project.ts'
import type { StartRequest } from '../start.ts'
import { geminiRoot } from './paths.ts'
import { readJson, setting } from './settings.ts'

export function trustFile(io: Io): string {
  return io.env.GEMINI_CLI_TRUSTED_FOLDERS_PATH || join(geminiRoot(io), 'trustedFolders.json')
}

/** Whether Gemini treats this folder as trusted; undefined: it has not asked yet. */
export function isTrusted({ cwd, io, args }: Pick<StartRequest, 'cwd' | 'io' | 'args'>): boolean | undefined {
  const { GEMINI_RESTRICTED_MODE, GEMINI_CLI_TRUST_WORKSPACE } = io.env
  if (GEMINI_RESTRICTED_MODE === 'true' || GEMINI_CLI_TRUST_WORKSPACE === 'false') return false
  if (GEMINI_CLI_TRUST_WORKSPACE === 'true' || args.includes('--skip-trust')) return true
  if (setting(io, 'security.folderTrust.enabled') === false) return true
  // The rule with the longest path wins.
  const rules = Object.entries(readJson(trustFile(io))).sort(([one], [other]) => other.length - one.length)
  const rule = rules.find(([path, level]) => isWithin(real(cwd), real(level === 'TRUST_PARENT' ? dirname(path) : path)))
  return rule && rule[1] !== 'DO_NOT_TRUST'
}

function real(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return resolve(path)
  }
}
