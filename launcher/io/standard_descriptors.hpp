#pragma once

namespace resilient::launcher {

/// Opens /dev/null for stdin, stdout and stderr where they are closed. Else a file of ours would
/// take their numbers, and what is written for a person or a client would go into it.
void fill_standard_descriptors();

} // namespace resilient::launcher
