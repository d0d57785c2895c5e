// Checks the Coder module with the real Terraform (or OpenTofu) and the real coder provider, which it builds with Go:
//   node --import tsx deploy/coder/check.ts [--scripts <folder>]
// Only the Go proxy is used. What the module takes from Coder's registry comes from testdata/, or from the folder in
// ION_CODER_UTILS. With --scripts the rendered scripts are saved there. If a tool is missing it says so and exits with 0.
import { execFileSync, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { arch, platform, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { renderScript, type ScriptName, sampleSettings, sampleTaskId, sampleVariables } from './ion/testdata/render.ts'

const PROVIDER = '2.19.0'
const here = fileURLToPath(new URL('.', import.meta.url))
const cache = process.env.ION_CODER_CACHE ?? join(tmpdir(), 'ion-coder-check')
const work = mkdtempSync(join(tmpdir(), 'ion-coder-module-'))

const terraform = ['terraform', 'tofu'].find((program) => runs(program, '-version'))
const missing = [terraform ? '' : 'terraform or tofu', runs('go', 'version') ? '' : 'go'].filter(Boolean)
if (!terraform || missing.length > 0) {
  console.log(`coder module: not checked, ${missing.join(' and ')} is not here`)
} else {
  const server = await moduleRegistry()
  try {
    await check(terraform, `http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    console.log('coder module: ok')
  } catch (error) {
    console.error(`coder module: ${(error as Error).message}`)
    process.exitCode = 1
  } finally {
    server.close()
    rmSync(work, { recursive: true, force: true })
  }
}

async function check(terraform: string, registry: string): Promise<void> {
  mirrorProvider()
  const config = join(work, 'terraformrc')
  writeFileSync(
    config,
    [
      `provider_installation {`,
      `  filesystem_mirror {`,
      `    path = "${join(cache, 'mirror')}"`,
      `  }`,
      `}`,
      `host "registry.coder.com" {`,
      `  services = { "modules.v1" = "${registry}" }`,
      `}`,
      ``,
    ].join('\n'),
  )
  const folder = join(work, 'ion')
  cpSync(join(here, 'ion'), folder, { recursive: true })
  const env = { ...process.env, HOME: work, TF_CLI_CONFIG_FILE: config, CHECKPOINT_DISABLE: '1', TF_IN_AUTOMATION: '1' }
  const run = (...args: string[]): Promise<void> => say(terraform, args, { cwd: folder, env })
  await run('fmt', '-check', '-recursive', '-diff')
  await say(terraform, ['init', '-input=false', '-no-color'], { cwd: folder, env, quiet: true })
  await run('validate', '-no-color')
  await run('test', '-no-color')
  await rendered(terraform, folder, env)
}

interface Resource {
  readonly type: string
  readonly instances: readonly { readonly attributes: Readonly<Record<string, string>> }[]
}

/** Applies the module as a template would, and compares the scripts with what the tests run. */
async function rendered(terraform: string, folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  const given = join(work, 'sample.tfvars.json')
  writeFileSync(given, JSON.stringify(sampleVariables))
  await say(terraform, ['apply', '-auto-approve', '-input=false', '-no-color', `-var-file=${given}`], {
    cwd: folder,
    // As Coder runs it for a Task.
    env: { ...env, CODER_TASK_ID: sampleTaskId },
    quiet: true,
  })
  const { resources } = JSON.parse(readFileSync(join(folder, 'terraform.tfstate'), 'utf8')) as { resources: Resource[] }
  const all = resources.flatMap(({ type, instances }) =>
    instances.map(({ attributes }): Readonly<Record<string, string>> => ({ ...attributes, type })),
  )
  const find = (test: (resource: Readonly<Record<string, string>>) => unknown): Readonly<Record<string, string>> => {
    const found = all.find(test)
    if (!found) throw new Error('Terraform made no such resource')
    return found
  }
  const stop = find(({ type, run_on_stop }) => type === 'coder_script' && run_on_stop).script!
  const attach = find(({ type, command }) => type === 'coder_app' && command).command!
  const inner = (title: string): string => {
    const { script } = find(({ display_name }) => display_name === `Ion: ${title}`)
    return Buffer.from(/'([A-Za-z0-9+/=]{200,})'/.exec(script!)![1]!, 'base64').toString()
  }
  const scripts: Readonly<Record<ScriptName, string>> = {
    install: inner('Install Script'),
    start: inner('Start Script'),
    attach,
    stop,
  }
  const out = process.argv[process.argv.indexOf('--scripts') + 1]!
  for (const [name, script] of Object.entries(scripts) as [ScriptName, string][]) {
    if (process.argv.includes('--scripts')) {
      mkdirSync(out, { recursive: true })
      writeFileSync(join(out, `${name}.sh`), script, { mode: 0o755 })
    }
    if (script !== renderScript(name, sampleSettings)) throw new Error(`${name}.sh is not what the tests run`)
  }
  console.log(`the ${Object.keys(scripts).length} scripts are byte for byte those that the tests run`)
}

/** Builds the provider once, and puts it where both programs look. */
function mirrorProvider(): void {
  const target = `${platform()}_${arch() === 'x64' ? 'amd64' : arch()}`
  const program = join(cache, 'bin', 'terraform-provider-coder')
  if (!existsSync(program)) {
    console.log('building the coder provider, once')
    const go = { GOBIN: join(cache, 'bin'), GOPATH: join(cache, 'go'), GOCACHE: join(cache, 'build'), HOME: cache }
    const source = `github.com/coder/terraform-provider-coder/v2@v${PROVIDER}`
    execFileSync('go', ['install', source], {
      env: { ...process.env, ...go, GOTELEMETRY: 'off' },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  }
  for (const host of ['registry.terraform.io', 'registry.opentofu.org']) {
    const folder = join(cache, 'mirror', host, 'coder', 'coder', PROVIDER, target)
    if (existsSync(folder)) continue
    mkdirSync(folder, { recursive: true })
    cpSync(program, join(folder, `terraform-provider-coder_v${PROVIDER}`))
  }
}

/** Stands in for registry.coder.com, with the one module that ours needs. */
function moduleRegistry(): Promise<Server> {
  const source = process.env.ION_CODER_UTILS ?? join(here, 'testdata', 'coder-utils')
  const archive = join(work, 'coder-utils.tar.gz')
  execFileSync('tar', ['-czf', archive, '-C', source, 'main.tf'])
  const server = createServer((request, response) => {
    if (request.url === '/coder/coder-utils/coder/versions') {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ modules: [{ versions: [{ version: '0.0.1' }] }] }))
    } else if (request.url === '/coder/coder-utils/coder/0.0.1/download') {
      response.writeHead(204, { 'x-terraform-get': '/coder-utils.tar.gz' }).end()
    } else if (request.url?.startsWith('/coder-utils.tar.gz')) {
      response.end(readFileSync(archive))
    } else response.writeHead(404).end()
  })
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)))
}

interface SayOptions {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly quiet?: boolean
}

/** Not execFileSync: our registry must be able to answer meanwhile. */
function say(program: string, args: readonly string[], { quiet = false, ...options }: SayOptions): Promise<void> {
  console.log(`$ ${program} ${args.filter((one) => !one.startsWith('-var-file')).join(' ')}`)
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
    let text = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (part: string) => (text += part))
    }
    child.on('error', reject)
    child.on('close', (code) => {
      if (!quiet || code !== 0) console.log(text.trimEnd().replace(/^/gm, '  '))
      if (code === 0) resolve()
      else reject(new Error(`${program} ${args[0]} ended with ${code}`))
    })
  })
}

function runs(program: string, word: string): boolean {
  try {
    execFileSync(program, [word], { stdio: 'ignore', env: { ...process.env, HOME: work } })
    return true
  } catch {
    return false
  }
}
