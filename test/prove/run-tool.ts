import { execFile } from 'node:child_process'

/**
 * Runs npm, pip or Go to its end.
 * Returns what it printed; the error of a failure has its last lines, without addresses.
 */
export function runTool(
  program: string,
  args: string[],
  { env, cwd, timeoutMs = 10 * 60_000 }: { env: NodeJS.ProcessEnv; cwd?: string; timeoutMs?: number },
): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { env, cwd, timeout: timeoutMs, maxBuffer: 64 << 20 }
    execFile(program, args, options, (error, stdout, stderr) => {
      if (!error) return resolve(stdout)
      if (error.code === 'ENOENT') return reject(new Error(`${program} is not on this machine`))
      if (error.killed)
        return reject(new Error(`${program} ${args[0]} was stopped after ${timeoutMs / 60_000} minutes`))
      const lines = `${stderr}\n${stdout}`.split('\n').filter((line) => line.trim() && !isNoise(line))
      reject(
        new Error(`${program} ${args[0]} failed: ${withoutAddresses(lines.slice(0, 6).join('; ')) || error.message}`),
      )
    })
  })
}

function isNoise(line: string) {
  return /^npm warn|complete log of this run|^npm error\s*$/.test(line)
}

/** Reasons end up in a document; which registry a machine uses is nobody's business. */
export function withoutAddresses(text: string) {
  return text.replace(/https?:\/\/[^\s;"']+/g, '<registry>')
}
