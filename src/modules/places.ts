import { join } from 'node:path'
import type { Io } from '../platform/io.ts'

/** Where modules keep what lasts. */
export function moduleBase(io: Io): string {
  return io.env.CODER_MODULE_DATA_DIR || join(io.home, '.coder-modules')
}

/** The temp folder, as the programs that write there find it. */
export function tempFolder(io: Io): string {
  return io.env.TMPDIR || '/tmp'
}

/** As the registry names modules: lowercase letters, digits and dashes. */
const PART = /^[a-z0-9](?:[a-z0-9_.-]{0,62}[a-z0-9])?$/

/** One level or two, each a name that cannot lead anywhere else. */
export function isModuleName(name: string): boolean {
  const parts = name.split('/')
  return parts.length <= 2 && parts.every((part) => PART.test(part) && !part.includes('..'))
}

/** `~/.goose-module` and the like: every module that was made before the convention has one. */
export function nameOfModuleHome(entry: string): string | undefined {
  const name = /^\.([a-z0-9][a-z0-9-]*)-module$/.exec(entry)?.[1]
  return name !== undefined && isModuleName(name) ? name : undefined
}

/** Module folders below the home that are not named like the others, and the name that each gets. */
export const oddHomes: Readonly<Record<string, string>> = {
  '.aws/.amazonq': 'aws-amazonq',
}

/** The folder that the workspace agent makes in its base for what scripts keep. */
export const SCRIPT_DATA = 'coder-script-data'

/** The base is the temp folder by default; #782 of the registry shows `~/.coder`. */
export function scriptDataBases(io: Io): string[] {
  const set = io.env.CODER_AGENT_SCRIPT_DATA_DIR
  return [...new Set([...(set ? [set] : []), tempFolder(io), join(io.home, '.coder')])]
}

/**
 * Names that modules of the registry write into the temp folder as they stand (read at 6be121e4): who writes there last
 * wins, whichever module that is. The first list are names that several modules use.
 */
export const sharedTempNames: readonly string[] = ['main.sh', 'install.sh', 'start.sh']
export const fixedTempNames: readonly string[] = [
  'agentapi-lib.sh',
  'agentapi-boundary.sh',
  'agentapi-shutdown.sh',
  'boundary',
  'mcp-hack.sh',
  'coder-mcp-server.sh',
  'install_plugins.sh',
  'auth.tar.zst',
  'code-server',
  'vscode-web',
  'mux',
  'tailscale-state',
  'aibridge-proxy',
]
