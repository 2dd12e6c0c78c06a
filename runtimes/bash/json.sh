# shellcheck shell=bash
# As much JSON as the channel needs: an object of texts, nulls and numbers in, texts out.

# json_fields TEXT: sets json_NAME for code, stdin, language and purpose; unset when null or missing.
json_fields() {
  unset json_code json_stdin json_language json_purpose
  # No control character stands in JSON as itself, so these two can stand for what is escaped. What is left of quotes divides the text; looking for
  # them one by one would take a time that grows with the square of its length.
  local text=${1//\\\\/$'\1'} at=1
  local -a parts
  mapfile -t -d '"' parts <<<"${text//\\\"/$'\2'}"
  while ((at + 1 < ${#parts[@]})); do
    if [[ ${parts[at + 1]} =~ ^\ *:\ *$ ]]; then
      case ${parts[at]} in
        code | stdin | language | purpose) json_unescape "json_${parts[at]}" "${parts[at + 2]}" ;;
      esac
      at=$((at + 4))
    else # null or a number
      at=$((at + 2))
    fi
  done
}

# json_unescape VARIABLE TEXT
json_unescape() {
  local text=$2 result high='' unit part
  local -a parts
  text=${text//$'\2'/\"} text=${text//'\/'/\/}
  text=${text//'\n'/$'\n'} text=${text//'\t'/$'\t'} text=${text//'\r'/$'\r'} text=${text//'\b'/$'\b'} text=${text//'\f'/$'\f'}
  mapfile -t -d $'\4' parts <<<"${text//'\u'/$'\4'}"
  result=${parts[0]}
  for part in "${parts[@]:1}"; do
    unit=$((16#${part:0:4}))
    part=${part:4}
    if ((unit >= 0xd800 && unit < 0xdc00)); then
      high=$unit
      continue
    fi
    if [[ -n $high ]] && ((unit >= 0xdc00 && unit < 0xe000)); then
      unit=$((0x10000 + ((high - 0xd800) << 10) + unit - 0xdc00))
    fi
    high=
    # A NUL has no place in a shell's text, and \1 is still a backslash here.
    case $unit in
      0) ;;
      1) result+=$'\3' ;;
      *) json_utf8 "$unit" && result+=$json_character ;;
    esac
    result+=$part
  done
  result=${result%$'\n'} # mapfile's here-string ended with it
  result=${result//$'\1'/\\}
  printf -v "$1" '%s' "${result//$'\3'/$'\1'}"
}

# json_utf8 NUMBER: json_character, in bytes whatever the locale.
json_utf8() {
  local octal
  if (($1 < 0x80)); then
    printf -v octal '\\%03o' "$1"
  elif (($1 < 0x800)); then
    printf -v octal '\\%03o' $((0xc0 | $1 >> 6)) $((0x80 | $1 & 0x3f))
  elif (($1 < 0x10000)); then
    printf -v octal '\\%03o' $((0xe0 | $1 >> 12)) $((0x80 | $1 >> 6 & 0x3f)) $((0x80 | $1 & 0x3f))
  else
    printf -v octal '\\%03o' $((0xf0 | $1 >> 18)) $((0x80 | $1 >> 12 & 0x3f)) $((0x80 | $1 >> 6 & 0x3f)) $((0x80 | $1 & 0x3f))
  fi
  # shellcheck disable=SC2059  # octal escapes are what it holds
  printf -v json_character "$octal"
}

# json_string TEXT: json_text, the text as JSON. Bytes that are no UTF-8 are the reader's to replace.
json_string() {
  local text=${1//\\/\\\\} control
  text=${text//\"/\\\"}
  text=${text//$'\n'/\\n} text=${text//$'\t'/\\t} text=${text//$'\r'/\\r}
  for control in {1..8} 11 12 {14..31} 127; do
    local octal hex
    printf -v octal '\\%03o' "$control"
    printf -v hex '\\u%04x' "$control"
    # shellcheck disable=SC2059
    printf -v octal "$octal"
    text=${text//"$octal"/$hex}
  done
  # shellcheck disable=SC2034  # the result
  json_text="\"$text\""
}
