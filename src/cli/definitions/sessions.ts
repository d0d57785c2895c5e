import type { CommandDefinition } from '../command.ts'
import { agentFilter, archived, projectFilter, remote, sessionArgument } from './common.ts'

export const sessions = {
  name: 'sessions',
  group: 'find and share sessions',
  summary: 'list the sessions of all agents; in a terminal, pick one',
  details:
    'In a terminal it opens a picker: type to filter by title, folder, id and text, press Enter to read the session (this never ' +
    'starts an agent), ? for all keys (docs/picker.md). In a pipe it prints a table, newest first. It lists the current project if that has sessions, otherwise all.',
  options: [
    { flags: '-a, --all', summary: 'all projects' },
    projectFilter,
    agentFilter,
    { flags: '--since <time>', summary: 'used since then: 2h, 7d, 3w, 2026-11-01' },
    { flags: '--tag <tag>', summary: 'only sessions with this tag; can be repeated', many: true, completes: 'tag' },
    { flags: '--pinned', summary: 'only pinned sessions' },
    { flags: '--limit <n>', summary: 'maximum number of sessions (default 50, 0 = all)' },
    { flags: '--hidden', summary: 'include sessions archived in the agent' },
    { flags: '--sub-agents', summary: 'include sub-agent sessions' },
    remote,
    { flags: '--plain', summary: 'print the table, even in a terminal' },
    { flags: '--json', summary: 'print one JSON object per session' },
  ],
  examples: [
    ['ion sessions', 'pick one of this project; ctrl-a switches to all'],
    ['ion sessions --all --since 7d --plain', 'a table of the last week'],
    ['ion sessions --all --limit 0 --json', 'everything, for a script'],
  ],
} as const satisfies CommandDefinition

export const show = {
  name: 'show',
  group: 'find and share sessions',
  summary: 'read a session',
  details:
    'Prints prompts and answers in full and each tool call on one line. In a terminal it opens $PAGER, or less. If the ' +
    'conversation was rewound, it shows the most recently continued branch.',
  arguments: [
    {
      name: 'id',
      summary:
        "session id or its first characters (at least 4), the agent's own id, or the title or its beginning; with #event as " +
        'ion search prints it',
      required: true,
      completes: 'session',
    },
  ],
  options: [
    { flags: '--last [n]', summary: 'only the last messages (default 20)' },
    { flags: '--turn <n>', summary: 'only one turn by its number, several as 3..5, the last one as -1' },
    { flags: '--at <event>', summary: 'open at this event, with its tool call unfolded; in a pipe, only its turn' },
    { flags: '--mark <query>', summary: 'mark the words of a search' },
    { flags: '--follow', summary: 'keep printing what the agent writes, until Ctrl-C' },
    {
      flags: '--copy',
      summary: 'copy prompts and answers to the clipboard; without --last or --turn, the last answer',
    },
    { flags: '--full', summary: 'full tool input and output' },
    { flags: '--thinking', summary: "include the model's thinking" },
    { flags: '--system', summary: 'include messages added by the agent and records unknown to Ion' },
    { flags: '--branch <n>', summary: 'show another branch by its number, or "all"' },
    archived,
    remote,
    { flags: '--no-pager', summary: 'do not open a pager' },
    { flags: '--json', summary: 'print the events as JSON lines, of all branches unless --branch is given' },
  ],
  examples: [
    ['ion show 3f2a91bc', 'by the beginning of its id'],
    ['ion show 3f2a91bc#e17 --mark webhook', 'at an event that ion search has found'],
    ['ion show 3f2a91bc --last 5', 'how it ended'],
    ['ion show 3f2a91bc --full --thinking', 'everything that was said and done'],
    ['ion show 3f2a91bc --archived', 'also what the agent has dropped since it was archived'],
    ['ion show 3f2a91bc --json | jq -r \'select(.type == "user").content\'', 'only the prompts'],
  ],
} as const satisfies CommandDefinition

export const search = {
  name: 'search',
  group: 'find and share sessions',
  summary: 'search the text of all sessions',
  details:
    'Finds text anywhere, also within words; case and accents do not matter. All words must be in the same message. ' +
    '"a phrase" must match as it is, a OR b one of the two, /regex/ a pattern, and -word excludes. agent: project: in: role: ' +
    'tool: file: title: tag: model: since: before: and is: narrow the search (docs/search.md). Newest first. Exit code 1 if ' +
    'nothing was found.',
  dashWords: true,
  arguments: [{ name: 'words', summary: 'what to search for', required: true, many: true, completes: 'none' }],
  options: [
    { flags: '--rank', summary: 'best matches first instead of newest' },
    agentFilter,
    { flags: '--limit <n>', summary: 'maximum number of sessions (default 20, 0 = all)' },
    { flags: '--json', summary: 'print one JSON object per hit' },
  ],
  examples: [
    ['ion search login redirect', 'both words in one message'],
    ['ion search "exit code 137" since:2w -docker', 'a phrase, in the last two weeks, without the word docker'],
    ['ion search migration role:user in:~/src/shop', 'in your own prompts, in one folder'],
  ],
} as const satisfies CommandDefinition

export const changes = {
  name: 'changes',
  group: 'find and share sessions',
  summary: 'what a session changed, file by file',
  details:
    "The edits that the agent's tool calls asked for, as a diff of each file, from the transcript: what commands changed, and " +
    'what somebody changed afterwards, is not in it. Calls that failed are left out.',
  arguments: [{ ...sessionArgument, required: true }],
  options: [
    { flags: '--turn <n>', summary: 'only one turn by its number, several as 3..5, the last one as -1' },
    { flags: '--stat', summary: 'only the files and how many lines' },
    { flags: '--no-pager', summary: 'do not open a pager' },
    { flags: '--json', summary: 'print one JSON object per change' },
  ],
  examples: [
    ['ion changes 3f2a91bc --stat', 'which files, and how much'],
    ['ion changes 3f2a91bc --turn -1', 'what the last prompt led to'],
  ],
} as const satisfies CommandDefinition

export const files = {
  name: 'files',
  group: 'find and share sessions',
  summary: 'which sessions changed a file, and how',
  details:
    'Sessions of all agents whose tool calls wrote or edited the file, or a file in the folder, newest first. Shows the last ' +
    'edit of each session, from the transcript. Exit code 1 if no session changed it.',
  arguments: [{ name: 'path', summary: 'file or folder', required: true, completes: 'file' }],
  options: [
    { flags: '--limit <n>', summary: 'maximum number of sessions (default 20, 0 = all)' },
    { flags: '--full', summary: 'all edits, in full' },
    { flags: '--json', summary: 'print one JSON object per change' },
  ],
  examples: [['ion files src/refunds.ts', 'who changed it, and why: ion show <session>#<event>']],
} as const satisfies CommandDefinition

export const exportSessions = {
  name: 'export',
  group: 'find and share sessions',
  summary: 'write sessions as Markdown, HTML, JSON or JSON Lines',
  details:
    'One session goes to stdout or to a file, several into a folder. md and html are documents to read: the main branch of ' +
    'the conversation, tool calls folded. json and jsonl have every event; jsonl is the canonical log (docs/format.md), ' +
    'which "ion import" reads. Several html pages get an index.html to browse and filter them, offline. Existing files are ' +
    'not overwritten without --force.',
  arguments: [{ ...sessionArgument, many: true }],
  options: [
    {
      flags: '-f, --format <format>',
      summary: 'md, html, json or jsonl (default: by the ending of the file, else md)',
      choices: ['md', 'html', 'json', 'jsonl'],
    },
    { flags: '-o, --output <path>', summary: 'file to write, or folder for several sessions', completes: 'file' },
    { flags: '--all', summary: 'every session on this machine' },
    { flags: '--redact', summary: 'mask secrets, home paths and e-mail addresses' },
    { flags: '--full', summary: 'full tool input and output (md, html)' },
    { flags: '--thinking', summary: "include the model's thinking (md, html)" },
    { flags: '--system', summary: 'include messages added by the agent (md, html)' },
    {
      flags: '--branch <which>',
      summary: 'main: the most recently continued branch (default of md and html), or all',
      choices: ['main', 'all'],
    },
    archived,
    remote,
    { flags: '--force', summary: 'overwrite existing files' },
  ],
  examples: [
    ['ion export 3f2a > session.md', 'a document of one session'],
    ['ion export 3f2a -o session.html', 'one file that opens anywhere, offline'],
    ['ion export --all --format html -o pages', 'every session to browse: open pages/index.html'],
    ['ion export --all --format jsonl -o backup', 'every session as a canonical log'],
  ],
} as const satisfies CommandDefinition

export const share = {
  name: 'share',
  group: 'find and share sessions',
  summary: 'export a session with secrets, home paths and e-mails masked',
  details:
    'Writes Markdown or HTML. Secrets are found by the names of settings and options, by the forms of known keys and by ' +
    'context (commands, URLs, headers, files); home folders become ~, ' +
    'e-mail addresses placeholders; a summary of what was masked goes to stderr. Not looked for: names of people and ' +
    'companies, phone numbers, addresses, host names, text in images, confidential topics. Read the result before you send ' +
    'it (docs/sharing.md). With --check nothing is written, and the exit code is 4, if a text is left that looks random ' +
    'and that no rule knows. Nothing is uploaded.',
  arguments: [{ ...sessionArgument, required: true }],
  options: [
    { flags: '--html', summary: 'one self-contained HTML file instead of Markdown; default if the file ends in .html' },
    { flags: '-o, --output <file>', summary: 'file to write instead of stdout', completes: 'file' },
    { flags: '--full', summary: 'full tool input and output' },
    { flags: '--thinking', summary: "include the model's thinking" },
    { flags: '--check', summary: 'refuse, with exit code 4, if something that may be a secret is left' },
    archived,
    remote,
    { flags: '--force', summary: 'overwrite an existing file' },
  ],
  examples: [
    ['ion share 3f2a > session.md', 'for a pull request or an issue'],
    ['ion share 3f2a -o session.html', 'a page that opens anywhere'],
    ['ion share 3f2a --check -o session.md', 'in a script: writes it only if nothing doubtful is left'],
  ],
} as const satisfies CommandDefinition

export const web = {
  name: 'web',
  group: 'find and share sessions',
  summary: 'a page over all sessions, in your browser',
  details:
    'Serves one page on this machine: all sessions, their transcripts, what they changed, search, files and usage. It prints a ' +
    'link that opens the page once, and opens it in your browser. The server ends with its terminal, or keeps running with ' +
    '--detach; a second "ion web" prints a new link to the running one. Nothing is sent anywhere, and no agent is started ' +
    'unless you press a button that says so.',
  options: [
    { flags: '-p, --port <port>', summary: 'port to listen on (default: 4466, or the next free port)' },
    { flags: '--no-open', summary: 'only print the link' },
    { flags: '--read-only', summary: 'refuse every change: the page only shows' },
    { flags: '--detach', summary: 'keep it running in the background' },
    { flags: '--stop', summary: 'stop the running one' },
  ],
  examples: [
    ['ion web', 'open the page; Ctrl-C ends it'],
    ['ion web --detach --no-open', 'for a remote machine: forward the port, then open the printed link'],
  ],
} as const satisfies CommandDefinition

export const open = {
  name: 'open',
  group: 'find and share sessions',
  summary: 'open a session in the browser, on the page of ion web',
  details:
    'If "ion web" is not running, it is started in the background, as by "ion web --detach". The printed link opens the page once.',
  arguments: [
    {
      name: 'id',
      summary: 'id, native id or title, or its beginning; with #event as ion search prints it',
      required: true,
      completes: 'session',
    },
  ],
  options: [{ flags: '--print', summary: 'only print the link' }],
  examples: [
    ['ion open 3f2a', 'the session'],
    ['ion open 3f2a#9eb99824', 'at an event that ion search has found'],
  ],
} as const satisfies CommandDefinition
