#include "supervisor/unit.h"

namespace supervisor {

namespace {

// In quotes, with what systemd would expand doubled.
std::string quoted(const std::string& word) {
  std::string out = "\"";
  for (const char c : word) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '%' || c == '$') out += c;
    out += c;
  }
  return out + '"';
}

}  // namespace

std::string systemd_unit(const std::vector<std::string>& command) {
  std::string line;
  for (const std::string& word : command) line += (line.empty() ? "" : " ") + quoted(word);
  return "[Unit]\n"
         "Description=Cove, sandboxes for AI agents\n"
         "After=network.target local-fs.target\n"
         "\n"
         "[Service]\n"
         "Type=notify\n"
         "ExecStart=" +
         line +
         "\n"
         "Restart=on-failure\n"
         "RestartSec=1\n"
         "KillMode=process\n"
         "TimeoutStopSec=60\n"
         "TasksMax=infinity\n"
         "LimitNOFILE=1048576\n"
         "UMask=0077\n"
         "NoNewPrivileges=yes\n"
         "ProtectSystem=yes\n"
         "ProtectKernelModules=yes\n"
         "ProtectKernelLogs=yes\n"
         "KeyringMode=private\n"
         "CapabilityBoundingSet=~CAP_SYS_MODULE CAP_SYS_BOOT CAP_SYS_TIME CAP_SYSLOG CAP_WAKE_ALARM "
         "CAP_SYS_RAWIO "
         "CAP_SYS_PACCT CAP_MAC_ADMIN CAP_MAC_OVERRIDE CAP_BLOCK_SUSPEND\n"
         "\n"
         "[Install]\n"
         "WantedBy=multi-user.target\n";
}

}  // namespace supervisor
