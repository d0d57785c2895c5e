import { readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { attempt } from './error.ts'
import type { Io } from './io.ts'

/** Why no other user sees the arguments of our processes; undefined if one can. Root always can. */
export function whyProcessesAreHidden({ platform }: Io): string | undefined {
  if (platform === 'win32') return 'Windows shows them to administrators only'
  if (platform !== 'linux') return undefined
  if (hidesProcesses(attempt(() => readFileSync('/proc/self/mounts', 'utf8')) ?? ''))
    return '/proc is mounted with hidepid'
  const accounts = attempt(() => readFileSync('/etc/passwd', 'utf8'))
  const uid = process.getuid?.() ?? userInfo().uid
  return accounts !== undefined && otherAccounts(accounts, uid).length === 0 ? 'nobody else has an account' : undefined
}

/** `hidepid` of 1 hides the arguments, higher ones the processes too; newer kernels print names. */
export function hidesProcesses(mounts: string): boolean {
  return mounts
    .split('\n')
    .map((line) => line.split(' '))
    .some(([, at, type, options]) => {
      const value = /(?:^|,)hidepid=([^,]+)/.exec(options ?? '')?.[1]
      return at === '/proc' && type === 'proc' && value !== undefined && value !== '0' && value !== 'off'
    })
}

/** Accounts of people: not ours, not of services. */
export function otherAccounts(passwd: string, uid: number): string[] {
  return passwd.split('\n').flatMap((line) => {
    const [name, , id, , , , shell] = line.split(':')
    const number = Number(id)
    const isPerson = number >= 1000 && number < 65_534 && !/(?:nologin|false)$/.test(shell ?? '')
    return name && isPerson && number !== uid ? [name] : []
  })
}
