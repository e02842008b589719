# SPDX-License-Identifier: Apache-2.0
# Files as bytes in a C source: cmake -DOUTPUT=x.c -DFILES="root|name;..." -DHEADER=h -DARRAY=a -P embed.cmake
# The array has an element {name, text, length} for every file, and a last one without a name.
set(texts "")
set(rows "")
set(i 0)
foreach(item IN LISTS FILES)
  string(REPLACE "|" ";" item "${item}")
  list(GET item 0 root)
  list(GET item 1 name)
  file(READ ${root}/${name} bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "((0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,))" "\\1\n" bytes "${bytes}")
  string(APPEND texts "static const unsigned char file_${i}[] = {\n${bytes}0};\n")
  string(APPEND rows "    {\"${name}\", (const char*)file_${i}, sizeof file_${i} - 1},\n")
  math(EXPR i "${i} + 1")
endforeach()
file(WRITE ${OUTPUT}
  "#include \"${HEADER}\"\n\n${texts}\nconst jexport_file ${ARRAY}[] = {\n${rows}    {0}};\n")
