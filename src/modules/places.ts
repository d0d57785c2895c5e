import { join } from 'node:path'
import type { Io } from '../platform/io.ts'

/** Where modules store persistent data. */
export function moduleBase(io: Io): string {
  return io.env.CODER_MODULE_DATA_DIR || join(io.home, '.coder-modules')
}

/** The temp folder, as other programs determine it. */
export function tempFolder(io: Io): string {
  return io.env.TMPDIR || '/tmp'
}

/** As the registry names modules: lowercase letters, digits and dashes. */
const PART = /^[a-z0-9](?:[a-z0-9_.-]{0,62}[a-z0-9])?$/

/** One or two levels, without anything that could point outside the folder. */
export function isModuleName(name: string): boolean {
  const parts = name.split('/')
  return parts.length <= 2 && parts.every((part) => PART.test(part) && !part.includes('..'))
}

/** `~/.goose-module` and the like: used by modules that are older than the convention. */
export function nameOfModuleHome(entry: string): string | undefined {
  const name = /^\.([a-z0-9][a-z0-9-]*)-module$/.exec(entry)?.[1]
  return name !== undefined && isModuleName(name) ? name : undefined
}

/** Module folders in the home that are named differently, and their module names. */
export const oddHomes: Readonly<Record<string, string>> = {
  '.aws/.amazonq': 'aws-amazonq',
}

/** The folder that the workspace agent creates for data of scripts. */
export const SCRIPT_DATA = 'coder-script-data'

/** The base is the temp folder by default; #782 of the registry shows `~/.coder`. */
export function scriptDataBases(io: Io): string[] {
  const set = io.env.CODER_AGENT_SCRIPT_DATA_DIR
  return [...new Set([...(set ? [set] : []), tempFolder(io), join(io.home, '.coder')])]
}

/**
 * Fixed names that modules of the registry use in the temp folder (as of 6be121e4): the last writer wins. The first list
 * has names that several modules use.
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
